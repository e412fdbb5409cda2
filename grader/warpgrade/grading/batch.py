"""A class: every entry is in the results, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, replace
from pathlib import Path

from ..core import store
from ..core.concurrency import ceiling, profiling
from ..core.concurrency.bounded_work import as_completed
from ..core.errors import GraderError, SubmissionError
from ..core.lazy_sequence import LazySequence
from ..core.paths import text_hash
from ..course.policy import Policy
from ..judge import late_policy, score
from ..records import Grades, Problem, Result, Student, Submission
from ..sandbox import process
from ..submission import requests
from ..submission.admit import SubmissionEntry, admit, nothing_fits, printable, read
from ..submission.archive import Contents
from ..submission.downloads import Download
from . import saved_grades, term
from .executors import Executor
from .executors.local import LocalExecutor
from .jobs import Job, took_too_long
from .listed import listed
from .pipeline import origin
from .progress import Meter, Progress
from .session import PreparedLab, Session

Adjust = Callable[[Student], Student]
Admitted = tuple[Student, list[Job | Result]]  # by lab, a job to do or the result that refuses it
_DIGITS = 12  # of the name of an attempt's folder


def grade_class(
    download: Download,
    out: Path,
    session: Session,
    progress: Progress | None = None,
    adjust: Adjust | None = None,
    executor: Executor | None = None,
) -> Grades:
    """Grade every entry. Saved records that are still valid are used again, and what `out` holds is kept.

    `adjust` chooses the attempts that count and applies the course's policy to a student. `executor` says
    where submissions are graded; default: on this machine.
    """
    with store.claimed(out):
        known = saved_grades.known(out)
        old = listed(known, download.people) if known else None
        # Each archive is read by a process, so threads suffice here.
        with profiling.lap("admission"), ThreadPoolExecutor(session.jobs) as pool:
            admitted = as_completed(pool, lambda entry: _admitted(entry, session, out), download.entries)
            students = list(admitted)
        students += ((student, []) for student in download.missing)
        students.sort(key=lambda each: each[0].id)
        graded = _graded(students, out, session, progress, executor or LocalExecutor())
        renamed = old.notes[len(known.notes) :] if old and known else ()
        notes = (*session.notes, *download.notes, *renamed)
        grades = Grades(session.setting, session.labs, graded, notes)
        together = term.common(old, grades)
        return saved_grades.saved(together, out, adjust or _by_default, term.students(old, grades))


def grade_again(old: Grades, before: Path, out: Path, session: Session,
                progress: Progress | None = None, adjust: Adjust | None = None,
                executor: Executor | None = None) -> Grades:  # fmt: skip
    """Grade the submissions that `before` holds with this session, into `out`."""
    prepared_labs = {prepared.lab.name: prepared for prepared in session.prepared_labs}
    with store.claimed(out):
        students = [
            (
                replace(student, results=(), earlier=()),
                list(_jobs_again(student, before, out, prepared_labs, session)),
            )
            for student in old.students
        ]
        graded = _graded(students, out, session, progress, executor or LocalExecutor()).map(_counting)
        made = replace(old, setting=session.setting, labs=session.labs, students=graded)
        return saved_grades.saved(made, out, adjust or _by_default)


# --- a class -----------------------------------------------------------------------------------


def _admitted(entry: SubmissionEntry, session: Session, out: Path) -> Admitted:
    """The student and its jobs; a problem where the entry takes too long to read, or breaks its reader."""
    try:
        with ceiling.own_time():
            return _admit_all(entry, session, out)
    except process.Stopped:
        raise
    except ceiling.Exceeded:
        problem = took_too_long().problem()
    except Exception as error:  # one entry must not cost the others
        problem = GraderError(f"cannot be read: {type(error).__name__}: {error}"[:300]).problem()
    problem = replace(problem, where=printable(entry.path.name))
    return replace(_about(entry), problem=problem), []


def _about(entry: SubmissionEntry) -> Student:
    return Student(
        entry.student, entry.name, printable(entry.path.name),
        section=entry.section, group=entry.group, grader=entry.grader,
    )  # fmt: skip


def _admit_all(entry: SubmissionEntry, session: Session, out: Path) -> Admitted:
    """The student and, by lab, a job to do or the result that refuses it."""
    student = replace(_about(entry), notes=entry.notes)
    contents = read(entry, session.setting.sandbox)
    if isinstance(contents, Problem):
        return replace(student, problem=contents), []
    course = [path.name for path in session.repository.labs.iterdir()]
    found: list[Job | Result] = []
    for prepared in session.prepared_labs:
        job = _admit_one(entry, contents, prepared, session, course, out)
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
    session: Session,
    course: Sequence[str],
    out: Path,
) -> Job | Result | None:
    by_sheet = entry.by_sheet or None
    about = Result(prepared.lab.name, "", submitted=entry.submitted, by_sheet=by_sheet, late=entry.late)
    try:
        submission = admit(entry, contents, prepared.lab, len(session.prepared_labs) == 1, course)
    except SubmissionError as error:
        scored = score.nothing(prepared.lab, error.message)
        return replace(about, status="refused", score=scored, problem=error.problem())
    return _waiting(submission, prepared, out, session, about) if submission else None


def _waiting(
    submission: Submission, prepared: PreparedLab, out: Path, session: Session, about: Result
) -> Job | Result:
    """The job, with a folder of its own: grades of other files, or by another grader, are kept beside it."""
    made_from = origin(submission.hash, prepared, session)
    key = text_hash(*astuple(made_from))[:_DIGITS]
    place = f"{submission.student}/{prepared.lab.name}/{key}"
    work, asked = requests.work_hash(submission.files), requests.request(submission.files)
    choice = submission.notes[0] if submission.unused else None
    about = replace(about, origin=made_from, folder=place, work=work, request=asked, choice=choice)
    try:
        store.save(out / place, "submission", submission.hash, submission)
    except GraderError as error:
        return replace(about, status="withheld", problem=error.problem())
    return Job(prepared, submission.student, submission.hash, out, about)


def _jobs_again(
    student: Student, before: Path, out: Path, prepared_labs: Mapping[str, PreparedLab], session: Session
) -> Iterator[Job | Result]:
    for result in student.attempts:
        prepared = prepared_labs.get(result.lab)
        folder = saved_grades.folder_of(before, student.id, result)
        saved = store.load(folder, "submission", None, Submission)
        if prepared is None or result.status == "refused" or saved is None:
            yield result
        else:
            about = Result(
                result.lab,
                "",
                attempt=result.attempt,
                submitted=result.submitted,
                by_sheet=result.by_sheet,
                restated=result.restated,
                late=result.late,
            )
            yield _waiting(saved, prepared, out, session, about)


def _counting(student: Student) -> Student:
    """The student with all graded attempts. The last attempt at each lab counts."""
    last = {result.lab: result for result in student.attempts}
    earlier = tuple(result for result in student.attempts if last[result.lab] is not result)
    return replace(student, results=tuple(last.values()), earlier=earlier)


def _graded(
    students: Sequence[Admitted],
    out: Path,
    session: Session,
    progress: Progress | None,
    executor: Executor,
) -> LazySequence[Student]:
    """The students with their results. Each student is loaded only when it is asked for."""
    jobs = [item for _, items in students for item in items if isinstance(item, Job)]
    results = executor.grade(jobs, out, session, Meter(len(jobs), progress))
    return LazySequence(len(students), lambda at: _student(*students[at], results))


def _student(student: Student, items: Sequence[Job | Result], results: Mapping[str, Result]) -> Student:
    found = [item if isinstance(item, Result) else item.graded(results[item.about.folder]) for item in items]
    return replace(student, results=tuple(sorted(found, key=lambda result: (result.lab, result.attempt))))


def _by_default(student: Student) -> Student:
    return late_policy.adjusted(student, Policy())
