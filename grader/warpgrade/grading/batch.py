"""A class over cores: every entry ends in the results, whatever is wrong with it.

What is large (counters by line, findings, sources) is read from the saved stages when it is
needed, one student at a time, so that memory does not grow with what the class hands in.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from ..build.compiler import FATBIN, build
from ..core import profiling, store
from ..core.errors import GraderError, SubmissionError, UsageError
from ..core.paths import text_hash, typed
from ..judge import findings, score, verdict
from ..records import (
    Build,
    BuildStatus,
    Fault,
    Finding,
    Grades,
    JudgedFindings,
    Judgement,
    Origin,
    Problem,
    Result,
    Run,
    Student,
    Submission,
    Verdict,
)
from ..run.run import run
from ..sandbox import process
from ..submission import downloads
from ..submission.admit import SubmissionEntry, admit, nothing_fits, printable, read
from ..submission.archive import Contents
from ..submission.downloads import Download
from .progress import Meter, Progress
from .session import PreparedLab, Session

_ATTEMPTS = 3  # a fault of ours may be over the next time
_CLASS = "class"  # class.json: who handed in what
_DIGITS = 16
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
    handed: Path | Download,
    out: Path,
    session: Session,
    progress: Progress | None = None,
    adjust: Adjust | None = None,
) -> Grades:
    """Grade every entry of a download or folder; what was graded before from the same things stays.

    The grades are light: see whole(). `adjust` applies the course's policy to a graded student.
    """
    download = downloads.read(handed) if isinstance(handed, Path) else handed
    with store.claimed(out):
        # A process of its own reads each archive.
        with profiling.lap("admission"), ThreadPoolExecutor(session.jobs) as pool:
            students = list(pool.map(lambda entry: _admit_all(entry, session, out), download.entries))
        graded = _graded(students, session, progress)
        everyone = sorted((*graded, *download.missing), key=lambda student: student.id)
        notes = (*session.notes, *download.notes)
        return _kept(Grades(session.setting, session.labs, tuple(everyone), notes), out, adjust)


def grade_again(old: Grades, before: Path, out: Path, session: Session,
                progress: Progress | None = None, adjust: Adjust | None = None) -> Grades:  # fmt: skip
    """The same submissions, as saved in `before`, graded by this session into `out`."""
    prepared_labs = {prepared.lab.name: prepared for prepared in session.prepared_labs}
    with store.claimed(out):
        students = [
            (replace(student, results=()), list(_jobs_again(student, before, out, prepared_labs)))
            for student in old.students
        ]
        graded = _graded(students, session, progress)
        return _kept(Grades(session.setting, session.labs, tuple(graded), old.notes), out, adjust)


def grade_one(submission: Submission, prepared: PreparedLab, folder: Path, session: Session) -> Result:
    """One submission through all stages, each saved in `folder`; tried again where the fault is ours."""
    for attempt in range(_ATTEMPTS):
        last = attempt == _ATTEMPTS - 1
        try:
            result = _stages(submission, prepared, folder, session)
        except GraderError as error:
            result = Result(prepared.lab.name, "withheld", submission, problem=error.problem())
        except process.Stopped:
            raise
        except OSError as error:
            full = GraderError(
                f"cannot be used: {error.strerror}", file=error.filename, remedy="make room; grade again"
            )
            result = Result(prepared.lab.name, "withheld", submission, problem=full.problem())
        except Exception as error:  # a mistake of ours must not end the night's batch
            what = f"{type(error).__name__}: {error}"
            result = Result(
                prepared.lab.name, "withheld", submission, problem=Problem(Fault.GRADER, what[:300])
            )
        if result.status != "withheld" or last:
            return replace(result, origin=_origin(submission.hash, prepared, session))
    raise AssertionError("unreachable")


def reload(out: Path) -> Grades:
    """The grades as they were saved, light, for reports without compiler and device."""
    outline = store.load(out, _CLASS, None, Grades)
    if outline is None:
        raise UsageError("holds no saved grades", file=out, remedy=f"{typed('grade')} first")
    students = tuple(
        replace(student, results=tuple(map(_light, whole(student, out).results)))
        for student in outline.students
    )
    return replace(outline, students=students)


def whole(student: Student, out: Path) -> Student:
    """The student with all that the stages have saved."""
    results = (_reloaded(result, out / student.id / result.lab) for result in student.results)
    return replace(student, results=tuple(results))


# --- one submission ----------------------------------------------------------------------------


def _stages(submission: Submission, prepared: PreparedLab, folder: Path, session: Session) -> Result:
    lab = prepared.lab
    of_build, of_run = _keys(submission.hash, prepared, session)
    store.save(folder, "submission", submission.hash, submission)
    built = _saved_build(submission, prepared, folder, session, of_build)
    ran = None
    if built.status == BuildStatus.BUILT:
        ran = store.load(folder, "run", of_run, Run)
        if ran is None:
            fatbin = folder / FATBIN
            ran = run(built, fatbin, submission, lab, session.runner, prepared.reference, prepared.data,
                      session.setting.device)  # fmt: skip
            store.save(folder, "run", of_run if ran.problem is None else "", ran)
    with profiling.lap("verdict and score"):
        if ran is not None:
            ran = findings.judged(ran, submission, lab, session.gpu)
            store.save(folder, "findings", "", JudgedFindings(ran.findings))
        judgement = verdict.judge(built, ran, lab, session.gpu)
        scored = score.score(judgement, lab)
    problem = ran.problem if ran else built.problem
    if scored.total is None or problem is not None:
        problem = problem or Problem(Fault.GRADER, _unexplained(judgement))
        scored = replace(scored, total=None)
    store.save(folder, "verdict", "", judgement)
    store.save(folder, "score", "", scored)
    status = "withheld" if scored.total is None else "graded"
    return Result(lab.name, status, submission, built, ran, judgement, scored, problem)


def _keys(hash: str, prepared: PreparedLab, session: Session) -> tuple[str, str]:
    """What a build and a run are made from."""
    of_build = text_hash(session.build_fingerprint, hash, prepared.lab.kernel, repr(prepared.lab.compilation))
    return of_build, text_hash(of_build, prepared.fingerprint)


def _origin(hash: str, prepared: PreparedLab, session: Session) -> Origin:
    setting = session.setting
    return Origin(prepared.lab.hash, hash, setting.grader, setting.toolkit, setting.device_name, setting.salt,
                  prepared.fingerprint[:_DIGITS])  # fmt: skip


def _saved_build(
    submission: Submission, prepared: PreparedLab, folder: Path, session: Session, key: str
) -> Build:
    known = store.load(folder, "build", key, Build)
    if known is not None and (known.status != BuildStatus.BUILT or (folder / FATBIN).is_file()):
        return known
    (folder / FATBIN).unlink(missing_ok=True)
    built = build(submission, prepared.lab, session.compiler, folder, prepared.reference.build.parameters)
    store.save(folder, "build", key, built)
    return built


def _unexplained(judgement: Judgement) -> str:
    case = next((case for case in judgement.cases if case.verdict == Verdict.GRADER_ERROR), None)
    return f"{case.name}: {case.sentence}" if case else "the build broke down"


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
    """The first is judged; the others take its build and run as if they had made them."""
    results: list[tuple[_Job, Result]] = []
    for number, job in enumerate(group):
        meter.begin(job.name)
        submission = store.load(job.folder, "submission", job.hash, Submission)
        if submission is None:
            gone = GraderError("its saved text is gone", file=job.folder, remedy="grade again")
            result = Result(job.prepared.lab.name, "withheld", problem=gone.problem())
        else:
            if number and results[0][1].status == "graded":
                with contextlib.suppress(OSError, GraderError):  # else it is judged by itself
                    _take_over(group[0], job, session)
            result = _light(grade_one(submission, job.prepared, job.folder, session))
        results.append((job, result))
        meter.end(job.name)
    return results


def _take_over(judged: _Job, job: _Job, session: Session) -> None:
    of_build, of_run = _keys(job.hash, job.prepared, session)
    for stage, key, kind in (("build", of_build, Build), ("run", of_run, Run)):
        record = store.load(judged.folder, stage, key, kind)
        if record is not None and store.load(job.folder, stage, key, kind) != record:
            if stage == "build" and (judged.folder / FATBIN).is_file():
                (job.folder / FATBIN).unlink(missing_ok=True)
                shutil.copyfile(judged.folder / FATBIN, job.folder / FATBIN)
            store.save(job.folder, stage, key, record)


def _student(student: Student, items: Sequence[_Job | Result], results: Mapping[_Job, Result]) -> Student:
    found = [item if isinstance(item, Result) else results[item] for item in items]
    return replace(student, results=tuple(sorted(found, key=lambda result: result.lab)))


# --- saved and loaded again --------------------------------------------------------------------


def _kept(grades: Grades, out: Path, adjust: Adjust | None) -> Grades:
    if adjust:
        grades = replace(grades, students=tuple(map(adjust, grades.students)))
    store.save(out, _CLASS, "", _outline(grades))
    return grades


def _outline(grades: Grades) -> Grades:
    """The class without what the stages' own files hold."""
    students = (
        replace(student, results=tuple(map(_outlined, student.results))) for student in grades.students
    )
    return replace(grades, students=tuple(students))


def _outlined(result: Result) -> Result:
    return replace(result, submission=None, build=None, run=None)


def _light(result: Result) -> Result:
    """Without counters, sources and printed text, and of findings only what they are."""
    if result.judgement is None:
        return _outlined(result)
    submission, run = result.submission, result.run
    if submission is not None:
        submission = replace(submission, files=())
    if run is not None:
        run = replace(run, launches=(), printed="", findings=tuple(map(_light_finding, run.findings)))
    return replace(result, submission=submission, run=run)


def _light_finding(finding: Finding) -> Finding:
    return replace(finding, other=None, memory=None, standing=(), help="")


def _reloaded(result: Result, folder: Path) -> Result:
    if result.judgement is None:
        return result
    return replace(
        result,
        submission=store.load(folder, "submission", None, Submission),
        build=store.load(folder, "build", None, Build),
        run=_reloaded_run(folder) if result.judgement.build == BuildStatus.BUILT else None,
    )


def _reloaded_run(folder: Path) -> Run | None:
    run = store.load(folder, "run", None, Run)
    judged = store.load(folder, "findings", None, JudgedFindings)
    return replace(run, findings=judged.findings) if run and judged else run
