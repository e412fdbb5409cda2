"""The grades of a term as an output folder holds them: class.json, and a folder of stages for each attempt.

class.json (saved_students.py) holds who handed in what and how it was judged; a new grading counts when it is
written, not before. What is large (sources, counters by line, findings) is loaded from the stages' own files
when it is read, and only the records that were read last stay in memory.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..core import store
from ..core.errors import UsageError
from ..core.lazy_sequence import LazySequence
from ..core.paths import typed
from ..records import (
    Build,
    BuildStatus,
    Grades,
    JudgedFindings,
    Result,
    Run,
    StageRecords,
    Student,
    Submission,
)
from . import saved_students

_STAGES = 3  # submission, build, run
Load = Callable[[Path, str], Any]


@dataclass(frozen=True)
class SavedStages:
    """The stages of one result, read from its folder when they are asked for."""

    folder: Path
    built: bool
    load: Load

    @property
    def submission(self) -> Submission | None:
        found: Submission | None = self.load(self.folder, "submission")
        return found

    @property
    def build(self) -> Build | None:
        found: Build | None = self.load(self.folder, "build")
        return found

    @property
    def run(self) -> Run | None:
        """The saved run. None if nothing was built; a run.json in the folder then belongs to another
        submission.
        """
        found: Run | None = self.load(self.folder, "run") if self.built else None
        return found


@contextlib.contextmanager
def reopened(out: Path) -> Iterator[Grades]:
    """The saved grades, while no other grader writes to the folder.

    UsageError where the folder holds none; nothing is written there then.
    """
    if not saved_students.path_of(out).exists():
        raise _no_grades(out)
    with store.claimed(out):
        yield load(out)


def saved(
    grades: Grades,
    out: Path,
    adjust: Callable[[Student], Student],
    students: Iterable[Student] | None = None,
) -> Grades:
    """Write class.json with each student as `adjust` makes it. Returns what was written, with its stages.

    `students`: default: those of `grades`. The stages have saved their own records.
    """
    saved_students.save(grades, map(adjust, grades.students if students is None else students), out)
    return replace(load(out), labs=grades.labs)


def known(out: Path) -> Grades | None:
    """What the folder holds, None if nothing was graded there. UsageError where it cannot be read: a new
    grading would lose it.
    """
    grades = saved_students.load(out)
    if grades is None and saved_students.path_of(out).exists():
        raise saved_students.unreadable(saved_students.path_of(out))
    return grades


def load(out: Path) -> Grades:
    """The saved grades, for reports without compiler and device."""
    grades = saved_students.load(out)
    if grades is None:
        raise _no_grades(out)
    return replace(grades, students=_with_stages(grades, out))


def _no_grades(out: Path) -> UsageError:
    return UsageError("holds no saved grades", file=out, remedy=f"{typed('grade')} first")


def _with_stages(grades: Grades, out: Path) -> Sequence[Student]:
    """The students; their stages are loaded from `out` when they are read.

    The records of the results that were read last stay in memory: as many as one student can have. Code that
    goes through a class student by student therefore reads each file once.
    """
    load = functools.lru_cache(maxsize=_STAGES * max(1, len(grades.labs)))(_load)

    def with_stages(student: Student) -> Student:
        results = (_saved(result, folder_of(out, student.id, result), load) for result in student.results)
        return replace(student, results=tuple(results))

    if isinstance(grades.students, LazySequence):
        return grades.students.map(with_stages)
    return tuple(map(with_stages, grades.students))


def folder_of(out: Path, student: str, result: Result) -> Path:
    """The folder of a result's stages. Older graders kept one for each lab."""
    return out / (result.folder or f"{student}/{result.lab}")


def _saved(result: Result, folder: Path, load: Load) -> Result:
    if result.judgement is None:  # the stages were not reached, or broke off
        return replace(result, stages=StageRecords())
    built = result.judgement.build == BuildStatus.BUILT
    return replace(result, stages=SavedStages(folder, built, load))


def _load(folder: Path, stage: str) -> Submission | Build | Run | None:
    """The content of the file; None if it is missing or damaged."""
    if stage == "submission":
        return store.load(folder, stage, None, Submission)
    if stage == "build":
        return store.load(folder, stage, None, Build)
    run = store.load(folder, stage, None, Run)
    judged = store.load(folder, "findings", None, JudgedFindings)
    return replace(run, findings=judged.findings) if run and judged else run
