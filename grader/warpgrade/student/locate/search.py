"""Tries the edits of a kernel until one makes its cases right."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

from ...core.scratch import scratch_folder
from ...grading.session import PreparedLab, Session
from ...records import Lab, LabKind, Result, Run, Submission
from . import edits
from .edit import Edit
from .trial import Trial
from .wanted import wanted_cases

MOST_EDITS = 3_000
_TOGETHER = 80  # edits of one compilation: more of them compile in less time, and run in more
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


def locate(subject: CheckedKernel, effort: Effort) -> Edit | None:
    """The first edit that makes the wanted cases right; None if none is found within the effort."""
    cases, ran = wanted_cases(subject.prepared.lab, subject.result).cases, subject.result.run
    text = subject.submission.files[0].text
    known = {} if ran is None else dict(enumerate(islice(edits.of_file(text, _is_race(ran)), MOST_EDITS), 1))
    if not cases or not known or ran is None:
        return None
    numbers = list(known)
    parts = [numbers[at : at + _TOGETHER] for at in range(0, len(numbers), _TOGETHER)]
    with scratch_folder(subject.session.repository) as work:
        trial = Trial(subject.submission, subject.prepared, subject.session, ran, cases, known, work)
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            found = _first(pool.map(lambda part: _first_right(trial, part, effort), parts), parts, effort)
    return known[found] if found is not None else None


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
