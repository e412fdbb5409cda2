"""What the wrong elements of a visible case depend on, where nothing else explains them.

The harness changes parts of the case's inputs, and sees which of them act on the kernel's result and which
on the right one: grader/harness/influence/search.hpp.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..core.errors import GraderError
from ..feedback import mistakes
from ..judge import findings, verdict
from ..records import (
    Build,
    CaseRun,
    Influences,
    Lab,
    LabKind,
    Result,
    Run,
    StageRecords,
    Submission,
    Visibility,
    Wrong,
)
from ..run import harness
from ..run.harness import HarnessJob
from ..tables import nsight
from .session import PreparedLab, Session

_KINDS = (LabKind.KERNELS, LabKind.DEBUG)
_MOST_RUNS = 800  # of the kernel: less than half a second
_SECONDS = 5.0  # of processor time at most, ten times as much as it takes
_FEWEST_RUNS = 30  # a case in which so many would take too long is not looked at
# Warp instructions of all these runs together. To start one, and to compute what is right, takes as long as
# some more.
_INSTRUCTIONS, _OF_A_START = 60_000_000, 75_000


def traced(
    run: Run, built: Build, fatbin: Path, submission: Submission, prepared: PreparedLab, session: Session
) -> Run:
    """The run, with what its first wrong result depends on; unchanged where that has a name already."""
    shown = _unexplained(run, built, submission, prepared.lab, session)
    small = _smallest_like(shown, run, prepared.lab) if shown else None
    runs = _runs(small, run) if small else 0
    if shown is None or small is None or shown.wrong is None or runs < _FEWEST_RUNS:
        return run
    arguments = ("--mode", "influence", "--try", small.name, "--runs", str(runs))
    limits = replace(prepared.lab.limits, seconds=min(prepared.lab.limits.seconds, _SECONDS))
    lab = replace(prepared.lab, limits=limits)
    job = HarnessJob(lab, fatbin, prepared.data, arguments, is_watched=False)
    try:
        report = harness.start(job, replace(session.runner, threads=1, on_case=None), submission)
    except GraderError:  # a lab's make() may refuse values that its own seeds never give: nobody loses by it
        return run
    if not report.ended or not report.influences:
        return run
    wrong = replace(shown.wrong, influences=Influences(small.name, report.influences, report.footprints))
    cases = (replace(each, wrong=wrong) if each.name == shown.name else each for each in run.cases)
    return replace(run, cases=tuple(cases))


def _unexplained(
    run: Run, built: Build, submission: Submission, lab: Lab, session: Session
) -> CaseRun | None:
    """The case with the mistake that is shown first, if it has wrong numbers and no name."""
    if lab.kind not in _KINDS or all(case.wrong is None for case in run.cases):
        return None
    judged = findings.judged(run, submission, lab, session.gpu)
    judgement = verdict.judge(built, judged, lab, session.gpu)
    result = Result(lab.name, "graded", StageRecords(submission, built, judged), judgement)
    first = next(iter(mistakes.in_order(lab, result)), None)
    if first is None or first.case is None or mistakes.is_named(lab, result):
        return None
    return next((case for case in run.cases if case.name == first.case.name), None)


def _smallest_like(shown: CaseRun, run: Run, lab: Lab) -> CaseRun:
    """The visible case of the fewest elements that is wrong in the same array, in the same way."""

    def elements(case: CaseRun) -> int:
        return case.wrong.total if case.wrong else 0

    visible = {case.name for case in lab.cases if case.visibility is Visibility.VISIBLE}
    alike = [
        case
        for case in run.cases
        if case.name in visible and case.wrong is not None and _kind(case.wrong) == _kind(shown.wrong)
    ]
    several = [case for case in alike if elements(case) > 1]
    return min(several or alike, key=elements, default=shown)


def _kind(wrong: Wrong | None) -> tuple[object, ...]:
    return (wrong.array, wrong.kernel, wrong.pattern) if wrong else ()


def _runs(case: CaseRun, run: Run) -> int:
    """How often the kernel may run: as often in each check, on every machine."""
    executed = sum(
        launch.counters.get(nsight.WARP_INSTRUCTIONS, 0)
        for launch in run.launches
        if launch.label == case.name
    )
    return min(_MOST_RUNS, int(_INSTRUCTIONS / (executed + _OF_A_START)))
