"""Compiles and runs a kernel with edits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...build.compiler import FATBIN, Compiler, build
from ...core.paths import text_hash
from ...grading.session import PreparedLab, Session
from ...judge import verdict
from ...records import Build, BuildStatus, Case, CaseRun, Launch, Run, Submission, Verdict
from ...run import harness
from ...run.harness import HarnessJob
from ...tables import nsight
from .edits.edit import Edit
from .schemata import applied, schemata

_ATTEMPTS = 8  # to compile without the edits that the compiler refuses
_STEP_FACTOR = 50  # a block may run so many times the kernel's own steps: with 80 edits it takes up to 20
_UNKNOWN = 5_000  # steps of a kernel that broke off in every case
_ANY = 1_000_000_000
_SECONDS = 30.0  # of processor time at most, for the edits of one compilation


@dataclass(frozen=True)
class Trial:
    """`run`: of the kernel without an edit. `edits`: by number. `work`: a folder of the trial's own."""

    submission: Submission
    prepared: PreparedLab
    session: Session
    run: Run
    cases: Sequence[Case]
    edits: Mapping[int, Edit]
    work: Path
    shares: dict[int, float] = field(default_factory=dict)  # of what is right with an edit; see right_share

    def compiled(self, numbers: Sequence[int], name: str) -> list[int]:
        """Compile one kernel that holds these edits; returns those that the compiler accepts."""
        left = list(numbers)
        for _ in range(_ATTEMPTS):
            made = schemata(self._text, {number: self.edits[number] for number in left})
            built = self._built(made.text, self.work / name)
            if built.status == BuildStatus.BUILT:
                return left
            errors = (item.line for item in built.diagnostics if item.severity == "error" and item.line)
            refused = {number for line in errors for number in made.edits_near(line)}
            left = [number for number in left if number not in refused]
            if not refused or not left:
                break
        return []

    def passing(self, numbers: Sequence[int], name: str, seconds: float) -> int | None:
        """The first of these edits with which the cases pass, in the kernel that holds many. It ends after so
        many seconds of processor time.
        """
        lab = self.prepared.lab
        arguments = ("--mode", "edits", "--edits", ",".join(map(str, numbers)), "--try", self._names,
                     "--steps", ",".join(str(self._steps(case)) for case in self.cases),
                     "--findings", str(self._warnings))  # fmt: skip
        limits = replace(lab.limits, seconds=min(seconds, _SECONDS))
        job = HarnessJob(
            replace(lab, limits=limits), self.work / name / FATBIN, self.prepared.data, arguments
        )
        alone = replace(self.session.runner, threads=1, on_case=None)  # forks
        report = harness.start(job, alone, self.submission)
        self.shares.update((each.number, right_share(each.cases)) for each in report.edits)
        return report.edits[-1].number if report.outcome.status == 0 and report.edits else None

    def better(self, before: float) -> list[int]:
        """The edits with which more is right than before, the best first."""
        found = [number for number, share in self.shares.items() if share > before]
        return sorted(found, key=lambda number: (-self.shares[number], number))

    def is_right(self, number: int) -> bool:
        """Whether the verdict on every case is right with this edit alone."""
        folder, lab = self.work / f"edit{number}", self.prepared.lab
        if self._built(applied(self._text, self.edits[number]), folder).status != BuildStatus.BUILT:
            return False
        job = HarnessJob(lab, folder / FATBIN, self.prepared.data,
                         ("--mode", "check", f"--subcase={self._names}"))  # fmt: skip
        report = harness.start(job, replace(self.session.runner, on_case=None), self.submission)
        verdicts = [
            verdict.judge_case(case, [each for each in report.findings if each.label == case.name]).verdict
            for case in report.cases
        ]
        return len(verdicts) == len(self.cases) and all(each is Verdict.PASS for each in verdicts)

    @property
    def _text(self) -> str:
        return self.submission.files[0].text

    @property
    def _names(self) -> str:
        return ",".join(case.name for case in self.cases)

    @property
    def _warnings(self) -> int:
        """How many findings an edit may have: what the kernel is told and may keep. Where its numbers alone
        are wrong, any number: beside other edits, an access may look unordered that is not with this one.
        """
        errors = sum(each.severity == "error" for each in self.run.findings)
        return len(self.run.findings) - errors if errors else _ANY

    def _steps(self, case: Case) -> int:
        """Warp instructions that a block may run in the case: an edit may make a loop endless."""
        counted = {each.label: _steps_of(each) for each in self.run.launches}
        known = [each for each in self.cases if each.name in counted]
        # A launch that broke off was not counted: the case of the nearest size stands for it.
        like = min(known, key=lambda each: abs(math.prod(each.size) - math.prod(case.size)), default=None)
        most = counted[like.name] if like else _UNKNOWN
        return max(1, min(round(_STEP_FACTOR * most), self.prepared.lab.limits.steps))

    def _built(self, text: str, folder: Path) -> Build:
        first, *others = self.submission.files
        changed = replace(self.submission, files=(replace(first, text=text), *others), hash=text_hash(text))
        compiler: Compiler = replace(self.session.compiler, machine_code=False)
        return build(changed, self.prepared.lab, compiler, folder, self.prepared.reference.build)


def right_share(runs: Sequence[CaseRun]) -> float:
    """How many cases are right, and the share of right elements in the first that is not. That is the last
    one that ran, whatever its numbers are.
    """
    if not runs:
        return 0.0
    wrong = runs[-1].wrong
    return len(runs) - 1 + (1 - wrong.count / wrong.total if wrong and wrong.total else 0.0)


def _steps_of(launch: Launch) -> float:
    """Warp instructions of a block, on average."""
    return launch.counters.get(nsight.WARP_INSTRUCTIONS, 0) / math.prod(launch.grid)
