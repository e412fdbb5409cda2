"""Tries the edits of a kernel until one makes its cases right."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from ...core.scratch import scratch_folder
from ...feedback import mistakes
from ...grading.session import PreparedLab, Session
from ...records import Case, CaseRun, Lab, LabKind, Result, Run, Submission, Verdict
from . import suspicion
from .edits import candidates, two_edits
from .edits.edit import Edit
from .schemata import applied
from .trial import Trial, right_share
from .wanted import wanted_cases

MOST_EDITS = 3_000
_TOGETHER = 80  # edits of one compilation: more of them compile in less time, and run in more
_FIRST_EDITS = 3  # on top of which a second one is tried
_FOR_SECOND = 0.2  # of the time
_BETWEEN_THREADS = ("race", "barrier")  # checks
Report = Callable[[int, int], None]


@dataclass(frozen=True)
class CheckedKernel:
    """A kernel that was checked."""

    submission: Submission
    prepared: PreparedLab
    session: Session
    result: Result


@dataclass
class Effort:
    """How long a search may go on. `report(tried, all)` is called while it does."""

    seconds: float
    report: Report | None = None
    is_over: bool = False  # an edit has been found
    _begun: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Seconds."""
        return 0.0 if self.is_over else max(0.0, self._begun + self.seconds - time.monotonic())


def can_locate(lab: Lab) -> bool:
    """Only where a harness launches kernels, and not in labs that give points for finding a fault."""
    return lab.kind is LabKind.KERNELS and not lab.faults


def locate(subject: CheckedKernel, effort: Effort) -> tuple[Edit, ...]:
    """The first edit that makes the wanted cases right, or two that do so together; none if none is found
    within the effort.
    """
    wanted, ran = wanted_cases(subject.prepared.lab, subject.result), subject.result.run
    cases = wanted.cases
    if not cases or ran is None:
        return ()

    def trial_of(submission: Submission, name: str) -> Trial:
        """Of all edits of that submission, which is the subject's or has an edit already."""
        text = submission.files[0].text
        found = suspicion.ordered(candidates.of_file(text, _is_race(ran), wanted.launched), text, shown)
        known = dict(enumerate(found[:MOST_EDITS], 1))
        return Trial(submission, subject.prepared, subject.session, ran, cases, known, work / name)

    shown = _shown_lines(subject)
    with scratch_folder(subject.session.repository) as work:
        trial = trial_of(subject.submission, "first")
        before = _share_before(subject.result, cases)
        if (found := _search(trial, effort, before)) is not None:
            return (trial.edits[found],)
        text = subject.submission.files[0].text
        for number in trial.better(before)[:_FIRST_EDITS]:
            first = trial.edits[number]
            file = replace(subject.submission.files[0], text=applied(text, first))
            changed = replace(subject.submission, files=(file, *subject.submission.files[1:]))
            on_top = trial_of(changed, str(number))
            if (found := _search(on_top, effort)) is not None:
                return first, two_edits.before(on_top.edits[found], first, text)
    return ()


def _shown_lines(subject: CheckedKernel) -> set[int]:
    """The lines of the finding that `check` shows first."""
    first = next(iter(mistakes.in_order(subject.prepared.lab, subject.result)), None)
    finding = first.finding if first else None
    sides = (finding.place, finding.other) if finding else ()
    return {side.line for side in sides if side}


def _share_before(result: Result, cases: Sequence[Case]) -> float:
    """Of the kernel itself: see right_share."""
    verdicts = {case.name: case.verdict for case in result.judgement.cases} if result.judgement else {}
    runs = {run.name: run for run in result.run.cases} if result.run else {}
    ran: list[CaseRun] = []
    for case in cases:
        ran += [runs[case.name]] if case.name in runs else []
        if verdicts.get(case.name) is not Verdict.PASS:
            break
    return right_share(ran)


def _search(trial: Trial, effort: Effort, before: float = math.inf) -> int | None:
    """The first edit that makes the cases right. Where some make more right than before, a part of the time
    is left for a second one.
    """
    numbers = list(trial.edits)
    parts = [numbers[at : at + _TOGETHER] for at in range(0, len(numbers), _TOGETHER)]

    def first_right(part: Sequence[int]) -> int | None:
        is_over = effort.left < _FOR_SECOND * effort.seconds and trial.better(before)
        return None if is_over else _first_right(trial, part, effort)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return _first(pool.map(first_right, parts), parts, effort)


def _is_race(run: Run) -> bool:
    return any(each.check in _BETWEEN_THREADS for each in run.findings)


def _first(results: Iterable[int | None], parts: Sequence[Sequence[int]], effort: Effort) -> int | None:
    """The first number that a part has found. The others then stop."""
    tried, everything = 0, sum(map(len, parts))
    for part, found in zip(parts, results, strict=True):
        tried += len(part)
        if effort.report:
            effort.report(tried, everything)
        if found is not None:
            effort.is_over = True
            return found
    return None


def _first_right(trial: Trial, numbers: Sequence[int], effort: Effort) -> int | None:
    """The first of these edits with which the cases are right."""
    if not effort.left:
        return None
    name = str(numbers[0])
    left = trial.compiled(numbers, name)
    while left and (seconds := effort.left):
        passed = trial.passing(left, name, seconds)
        if passed is None or trial.is_right(passed):
            return passed
        left = left[left.index(passed) + 1 :]
    return None
