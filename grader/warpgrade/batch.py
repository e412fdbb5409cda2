"""A class over cores: every entry ends in the results, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from . import sandbox, score, store, verdict
from .archive import Contents
from .build import FATBIN, build
from .errors import GraderError, SubmissionError, UsageError
from .house import text_hash
from .records import (
    Build,
    BuildStatus,
    Fault,
    Grades,
    Judgement,
    Problem,
    Result,
    Run,
    Student,
    Submission,
    Verdict,
)
from .run import run
from .submission import Entry, admit, entries, printable, read
from .workshop import Place, Workshop

_ATTEMPTS = 3  # a fault of ours may be over the next time
_CLASS = "class"  # class.json: who handed in what
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class _Job:
    place: Place
    submission: Submission

    def folder(self, out: Path) -> Path:
        return out / self.submission.student / self.place.lab.name


def grade_class(folder: Path, out: Path, workshop: Workshop, progress: Progress | None = None) -> Grades:
    """Grade every entry of the folder; what was graded before from the same things is taken as it is.

    `progress` is told what has just been done, how many are, and of how many.
    """
    found, notes = entries(folder)
    with store.claimed(out):
        students = [_admit_all(entry, workshop, out) for entry in found]
        jobs = [item for _, items in students for item in items if isinstance(item, _Job)]
        results = _run_all(jobs, out, workshop, progress)
        graded = tuple(_student(student, items, results) for student, items in students)
        grades = Grades(workshop.setting, workshop.labs, graded, (*workshop.notes, *notes))
        store.save(out, _CLASS, "", _outline(grades))
    return grades


def grade_one(submission: Submission, place: Place, folder: Path, workshop: Workshop) -> Result:
    """One submission through all stages, each saved in `folder`; tried again where the fault is ours."""
    for attempt in range(_ATTEMPTS):
        last = attempt == _ATTEMPTS - 1
        try:
            result = _stages(submission, place, folder, workshop)
        except GraderError as error:
            result = Result(place.lab.name, "withheld", submission, problem=error.problem())
        if result.status != "withheld" or last:
            return result
    raise AssertionError("unreachable")


def reload(out: Path) -> Grades:
    """The grades as they were saved, for reports without compiler and device."""
    outline = store.load(out, _CLASS, None, Grades)
    if outline is None:
        raise UsageError("holds no saved grades", file=out, remedy="type `warpgrade grade` first")
    students = tuple(
        replace(
            student,
            results=tuple(_reloaded(result, out / student.id / result.lab) for result in student.results),
        )
        for student in outline.students
    )
    return replace(outline, students=students)


# --- one submission ----------------------------------------------------------------------------


def _stages(submission: Submission, place: Place, folder: Path, workshop: Workshop) -> Result:
    lab = place.lab
    of_build = text_hash(workshop.build_fingerprint, submission.hash, lab.kernel)
    of_run = text_hash(of_build, place.fingerprint)
    store.save(folder, "submission", submission.hash, submission)
    built = _saved_build(submission, place, folder, workshop, of_build)
    ran = None
    if built.status == BuildStatus.BUILT:
        ran = store.load(folder, "run", of_run, Run)
        if ran is None:
            fatbin = folder / FATBIN
            ran = run(built, fatbin, submission, lab, workshop.bench, place.reference, place.data,
                      workshop.setting.device)  # fmt: skip
            store.save(folder, "run", of_run if ran.problem is None else "", ran)
    judgement = verdict.judge(built, ran, lab, workshop.gpu)
    scored = score.score(judgement, lab)
    problem = ran.problem if ran else built.problem
    if scored.total is None or problem is not None:
        problem = problem or Problem(Fault.GRADER, _unexplained(judgement))
        scored = replace(scored, total=None)
    store.save(folder, "verdict", "", judgement)
    store.save(folder, "score", "", scored)
    status = "withheld" if scored.total is None else "graded"
    return Result(lab.name, status, submission, built, ran, judgement, scored, problem)


def _saved_build(submission: Submission, place: Place, folder: Path, workshop: Workshop, key: str) -> Build:
    known = store.load(folder, "build", key, Build)
    if known is not None and (known.status != BuildStatus.BUILT or (folder / FATBIN).is_file()):
        return known
    (folder / FATBIN).unlink(missing_ok=True)
    built = build(submission, place.lab, workshop.compiler, folder, place.reference.build.parameters)
    store.save(folder, "build", key, built)
    return built


def _unexplained(judgement: Judgement) -> str:
    case = next((case for case in judgement.cases if case.verdict == Verdict.GRADER_ERROR), None)
    return f"{case.name}: {case.sentence}" if case else "the build broke down"


# --- a class -----------------------------------------------------------------------------------


def _admit_all(entry: Entry, workshop: Workshop, out: Path) -> tuple[Student, list[_Job | Result]]:
    """The student and, by lab, a job to do or the result that refuses it."""
    student = Student(entry.student, entry.name, printable(entry.path.name))
    contents = read(entry)
    if isinstance(contents, Problem):
        return replace(student, problem=contents), []
    found: list[_Job | Result] = []
    for place in workshop.places:
        job = _admit_one(entry, contents, place, len(workshop.places) == 1)
        if job is not None:
            found.append(job)
    student = replace(student, notes=contents.notes)
    return (
        (student, found)
        if found
        else (replace(student, problem=_nothing_fits(entry, contents, workshop)), [])
    )


def _admit_one(entry: Entry, contents: Contents, place: Place, only_lab: bool) -> _Job | Result | None:
    try:
        submission = admit(entry, contents, place.lab, only_lab)
    except SubmissionError as error:
        scored = score.nothing(place.lab, error.message)
        return Result(place.lab.name, "refused", score=scored, problem=error.problem())
    return _Job(place, submission) if submission else None


def _nothing_fits(entry: Entry, contents: Contents, workshop: Workshop) -> Problem:
    wanted = " or ".join(f"{place.lab.name}/{place.lab.files[0]}" for place in workshop.places[:4])
    held = (
        f"it holds {', '.join(sorted(contents.files)[:5])}" if contents.files else "it holds no source file"
    )
    return SubmissionError(
        f"nothing in it fits: {held}",
        file=printable(entry.path.name),
        remedy=f"it should hold {wanted}; with one lab named (--lab), kernel.cu alone will do",
    ).problem()


def _run_all(
    jobs: Sequence[_Job], out: Path, workshop: Workshop, progress: Progress | None
) -> dict[_Job, Result]:
    results: dict[_Job, Result] = {}
    with ThreadPoolExecutor(workshop.jobs) as pool:
        futures: dict[Future[Result], _Job] = {}
        try:
            for job in jobs:
                futures[pool.submit(grade_one, job.submission, job.place, job.folder(out), workshop)] = job
            for done, future in enumerate(as_completed(futures), 1):
                job = futures[future]
                results[job] = future.result()
                if progress:
                    progress(f"{job.submission.student} {job.place.lab.name}", done, len(jobs))
        except BaseException:
            sandbox.stop_all()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return results


def _student(student: Student, items: Sequence[_Job | Result], results: Mapping[_Job, Result]) -> Student:
    found = [item if isinstance(item, Result) else results[item] for item in items]
    return replace(student, results=tuple(sorted(found, key=lambda result: result.lab)))


# --- saved and loaded again --------------------------------------------------------------------


def _outline(grades: Grades) -> Grades:
    """The class without what the stages' own files hold."""
    students = (
        replace(student, results=tuple(map(_outlined, student.results))) for student in grades.students
    )
    return replace(grades, students=tuple(students))


def _outlined(result: Result) -> Result:
    return replace(result, submission=None, build=None, run=None)


def _reloaded(result: Result, folder: Path) -> Result:
    if result.judgement is None:
        return result
    return replace(
        result,
        submission=store.load(folder, "submission", None, Submission),
        build=store.load(folder, "build", None, Build),
        run=store.load(folder, "run", None, Run) if result.judgement.build == BuildStatus.BUILT else None,
    )
