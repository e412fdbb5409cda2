"""A class on all cores: every entry is in the results, whatever is wrong with it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from ..core import ceiling, profiling, store
from ..core.errors import GraderError, SubmissionError
from ..judge import score
from ..records import Grades, Problem, Result, StageRecords, Student, Submission
from ..sandbox import process
from ..submission.admit import SubmissionEntry, admit, nothing_fits, printable, read
from ..submission.archive import Contents
from ..submission.downloads import Download
from . import saved_grades
from .pipeline import copy_stages, grade_one
from .progress import Meter, Progress
from .session import PreparedLab, Session

Adjust = Callable[[Student], Student]


@dataclass(frozen=True)
class _Job:
    """A submission to grade; its text waits in `folder`, not in memory."""

    prepared: PreparedLab
    student: str
    hash: str
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.student} {self.prepared.lab.name}"


def grade_class(
    download: Download,
    out: Path,
    session: Session,
    progress: Progress | None = None,
    adjust: Adjust | None = None,
) -> Grades:
    """Grade every entry; records that are still valid are used again.

    `adjust` applies the course's late policy to a graded student.
    """
    with store.claimed(out):
        # Each archive is read by a process, so threads suffice here.
        with profiling.lap("admission"), ThreadPoolExecutor(session.jobs) as pool:
            students = list(pool.map(lambda entry: _admit_all(entry, session, out), download.entries))
        graded = _graded(students, session, progress)
        everyone = sorted((*graded, *download.missing), key=lambda student: student.id)
        notes = (*session.notes, *download.notes)
        return _saved(Grades(session.setting, session.labs, tuple(everyone), notes), out, adjust)


def grade_again(old: Grades, before: Path, out: Path, session: Session,
                progress: Progress | None = None, adjust: Adjust | None = None) -> Grades:  # fmt: skip
    """Grade the submissions that `before` holds with this session, into `out`."""
    prepared_labs = {prepared.lab.name: prepared for prepared in session.prepared_labs}
    with store.claimed(out):
        students = [
            (replace(student, results=()), list(_jobs_again(student, before, out, prepared_labs)))
            for student in old.students
        ]
        graded = _graded(students, session, progress)
        return _saved(Grades(session.setting, session.labs, tuple(graded), old.notes), out, adjust)


# --- a class -----------------------------------------------------------------------------------


def _admit_all(entry: SubmissionEntry, session: Session, out: Path) -> tuple[Student, list[_Job | Result]]:
    """The student and, by lab, a job to do or the result that refuses it."""
    about = Student(entry.student, entry.name, printable(entry.path.name))
    student = replace(about, notes=entry.notes, submitted=entry.submitted, late=entry.late)
    contents = read(entry, session.setting.sandbox)
    if isinstance(contents, Problem):
        return replace(student, problem=contents), []
    course = [path.name for path in session.repository.labs.iterdir()]
    found: list[_Job | Result] = []
    for prepared in session.prepared_labs:
        job = _admit_one(entry, contents, prepared, len(session.prepared_labs) == 1, course, out)
        if job is not None:
            found.append(job)
    student = replace(student, notes=(*entry.notes, *contents.notes))
    return (
        (student, found)
        if found
        else (replace(student, problem=nothing_fits(entry, contents, session.labs).problem()), [])
    )


def _admit_one(
    entry: SubmissionEntry,
    contents: Contents,
    prepared: PreparedLab,
    only_lab: bool,
    course: Sequence[str],
    out: Path,
) -> _Job | Result | None:
    try:
        submission = admit(entry, contents, prepared.lab, only_lab, course)
    except SubmissionError as error:
        scored = score.nothing(prepared.lab, error.message)
        return Result(prepared.lab.name, "refused", score=scored, problem=error.problem())
    return _waiting(submission, prepared, out) if submission else None


def _waiting(submission: Submission, prepared: PreparedLab, out: Path) -> _Job | Result:
    folder = out / submission.student / prepared.lab.name
    try:
        store.save(folder, "submission", submission.hash, submission)
    except GraderError as error:
        return Result(prepared.lab.name, "withheld", problem=error.problem())
    return _Job(prepared, submission.student, submission.hash, folder)


def _jobs_again(
    student: Student, before: Path, out: Path, prepared_labs: Mapping[str, PreparedLab]
) -> Iterator[_Job | Result]:
    for result in student.results:
        prepared = prepared_labs.get(result.lab)
        saved = store.load(before / student.id / result.lab, "submission", None, Submission)
        if prepared is None or result.status == "refused" or saved is None:
            yield result
        else:
            yield _waiting(saved, prepared, out)


def _graded(
    students: Sequence[tuple[Student, list[_Job | Result]]], session: Session, progress: Progress | None
) -> list[Student]:
    jobs = [item for _, items in students for item in items if isinstance(item, _Job)]
    results = _run_all(jobs, session, progress)
    return [_student(student, items, results) for student, items in students]


def _run_all(jobs: Sequence[_Job], session: Session, progress: Progress | None) -> dict[_Job, Result]:
    results: dict[_Job, Result] = {}
    meter = Meter(len(jobs), progress)
    with ThreadPoolExecutor(session.jobs) as pool:
        futures: dict[Future[list[tuple[_Job, Result]]], None] = {}
        try:
            for group in _equal_ones(jobs):
                futures[pool.submit(_grade_equal, group, session, meter)] = None
            for future in as_completed(futures):
                results.update(future.result())
        except BaseException:
            process.stop_all()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return results


def _equal_ones(jobs: Sequence[_Job]) -> list[list[_Job]]:
    """Jobs with the same text for the same lab; first the one that may have been judged before."""
    groups: dict[tuple[str, str], list[_Job]] = {}
    for job in jobs:
        groups.setdefault((job.prepared.lab.name, job.hash), []).append(job)
    return [
        sorted(group, key=lambda job: not (job.folder / "run.json").exists()) for group in groups.values()
    ]


def _grade_equal(group: Sequence[_Job], session: Session, meter: Meter) -> list[tuple[_Job, Result]]:
    """Grade the first one; the others get copies of its build and run."""
    results: list[tuple[_Job, Result]] = []
    for number, job in enumerate(group):
        meter.begin(job.name)
        submission = store.load(job.folder, "submission", job.hash, Submission)
        if submission is None:
            gone = GraderError("its saved text is missing", file=job.folder, remedy="grade again")
            result = Result(job.prepared.lab.name, "withheld", problem=gone.problem())
        else:
            if number and results[0][1].status == "graded":
                with contextlib.suppress(OSError, GraderError):  # else it is judged by itself
                    copy_stages(group[0].folder, job.folder, job.hash, job.prepared, session)
            result = _within_its_time(submission, job, session)
            result = replace(result, stages=StageRecords())  # they are saved; a class of them is too large
        results.append((job, result))
        meter.end(job.name)
    return results


def _within_its_time(submission: Submission, job: _Job, session: Session) -> Result:
    """The result of one submission; refused where reading it takes the grader too long."""
    try:
        with ceiling.own_time():
            return grade_one(submission, job.prepared, job.folder, session)
    except ceiling.Exceeded:
        error = SubmissionError(
            f"reading it took the grader more than {ceiling.SECONDS:g} seconds of processor time",
            remedy="hand in a kernel without enormous or endlessly repeated text",
        )
        lab = job.prepared.lab
        return Result(lab.name, "refused", score=score.nothing(lab, error.message), problem=error.problem())


def _student(student: Student, items: Sequence[_Job | Result], results: Mapping[_Job, Result]) -> Student:
    found = [item if isinstance(item, Result) else results[item] for item in items]
    return replace(student, results=tuple(sorted(found, key=lambda result: result.lab)))


def _saved(grades: Grades, out: Path, adjust: Adjust | None) -> Grades:
    if adjust:
        grades = replace(grades, students=tuple(map(adjust, grades.students)))
    saved_grades.save(grades, out)
    return replace(grades, students=saved_grades.with_saved_stages(grades.students, out))
