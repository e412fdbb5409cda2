"""Submissions to grade: jobs, which of them are equal, and how a group of equal ones is graded.

An executor decides where this is done (executors/); what is done, and every file that it leaves, is the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..core import store
from ..core.concurrency import ceiling
from ..core.errors import GraderError, SubmissionError
from ..judge import score
from ..records import Result, Submission
from .pipeline import WAITING, copy_stages, grade_one
from .session import PreparedLab, Session


@dataclass(frozen=True)
class Job:
    """A submission to grade; its text waits in `folder`, below `out`, not in memory."""

    prepared: PreparedLab
    student: str
    hash: str
    out: Path
    about: Result  # what is known of the attempt before it is graded; its folder identifies the job

    @property
    def folder(self) -> Path:
        return self.out / self.about.folder

    @property
    def name(self) -> str:
        return f"{self.student} {self.prepared.lab.name}"

    def graded(self, result: Result) -> Result:
        """The attempt with its result. The saved stages are left out, because they are too large to keep in
        memory.
        """
        return replace(
            self.about,
            status=result.status,
            judgement=result.judgement,
            score=result.score,
            problem=result.problem,
        )


def equal_ones(jobs: Sequence[Job]) -> list[list[Job]]:
    """Groups of jobs with the same text for the same lab. The first job of a group has been judged before, if
    any has.
    """
    groups: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        groups.setdefault((job.prepared.lab.name, job.hash), []).append(job)
    return [
        sorted(group, key=lambda job: not (job.folder / "run.json").exists()) for group in groups.values()
    ]


def grade_equal(
    group: Sequence[Job], session: Session, begin: Callable[[Job], None]
) -> Iterator[tuple[Job, Result]]:
    """Grade the first one; the others get copies of its build and run. `begin` is called before each."""
    first: Result | None = None
    _seed(group[0], session)
    for job in group:
        begin(job)
        submission = store.load(job.folder, "submission", job.hash, Submission)
        if submission is None:
            gone = GraderError("its saved text is missing", file=job.folder, remedy="grade again")
            result = replace(job.about, status="withheld", problem=gone.problem())
        else:
            if first is not None and first.status in ("graded", WAITING):
                with contextlib.suppress(OSError, GraderError):  # else it is judged by itself
                    copy_stages(group[0].folder, job.folder, job.hash, job.prepared, session)
            result = job.graded(_within_its_time(submission, job, session))
        first = first or result
        yield job, result


def _seed(job: Job, session: Session) -> None:
    """Copy the saved stages of the same files that are still valid: another grader may have graded them, or
    another attempt.
    """
    if (job.folder / "run.json").exists():
        return
    for sibling in sorted(job.folder.parent.iterdir()):
        if sibling != job.folder and (sibling / "build.json").is_file():
            with contextlib.suppress(OSError, GraderError):  # else it is judged again
                copy_stages(sibling, job.folder, job.hash, job.prepared, session)


def _within_its_time(submission: Submission, job: Job, session: Session) -> Result:
    """The result of one submission. It is refused if reading it takes the grader too long."""
    try:
        with ceiling.own_time():
            return grade_one(submission, job.prepared, job.folder, session)
    except ceiling.Exceeded:
        error = took_too_long()
        lab = job.prepared.lab
        return Result(lab.name, "refused", score=score.nothing(lab, error.message), problem=error.problem())


def took_too_long() -> SubmissionError:
    return SubmissionError(
        f"reading it took the grader more than {ceiling.SECONDS:g} seconds of processor time",
        remedy="hand in a kernel without enormous or endlessly repeated text",
    )
