"""Grades the attacks of a group as one class, next to one honest student."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from warpgrade.core.paths import Repository
from warpgrade.core.serialize import dumps
from warpgrade.course import lab
from warpgrade.export import results
from warpgrade.grading import batch
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.records import Build, Grades, Lab, LabKind, Result, Student
from warpgrade.report import html as report
from warpgrade.sandbox import process
from warpgrade.submission import downloads
from warpgrade.submission.admit import printable

from ..hand_ins import handed_in
from . import archives, invariants
from .definition import Attack

HONEST = "Grace Honest"
# Still many times what a right kernel takes, so that bombs end soon.
_COMPILE = process.ResourceLimits(seconds=4, memory_bytes=1 << 30, address_bytes=1 << 30, file_bytes=32 << 20)
_COMPILE_A_PROGRAM = replace(_COMPILE, seconds=30)  # takes ten times as long as a kernel
_RUN_SECONDS = 20.0
_PROGRAM_SECONDS = 10.0  # for all runs of a program; an endless one takes them, with a core to itself
_STEPS = 1_000_000


@dataclass(frozen=True)
class Outcome:
    """How grading an attack ended; `failures` is empty where it ended as it must."""

    attack: Attack
    ending: str
    points: float | None
    failures: tuple[str, ...]


def run_group(
    repository: Repository, attacks: Sequence[Attack], sandbox: str = "auto", jobs: int = 0
) -> list[Outcome]:
    """These attacks and an honest student as one class; the outcomes in the attacks' order."""
    labs = [lab.named(repository, name) for name in sorted({attack.lab for attack in attacks})]
    session = prepare(
        repository, [_limited(each) for each in labs], Options("emulator", sandbox, jobs=jobs, fresh=True)
    )
    has_programs = any(each.kind is LabKind.PROGRAM for each in labs)
    limits = _COMPILE_A_PROGRAM if has_programs else _COMPILE
    session = replace(session, compiler=replace(session.compiler, limits=limits))
    with TemporaryDirectory(prefix="attacks-") as name:
        base = Path(name)
        base.chmod(0o755)
        honest = _graded(base / "alone", [], labs, repository, session)
        before = invariants.protected_files(repository, labs)
        grades = _graded(base / "class", attacks, labs, repository, session)
        of_all = [
            *invariants.changes(before, invariants.protected_files(repository, labs)),
            *invariants.unexpected_files(base / "class", grades),
            *invariants.broken_tables(base / "class" / "out", grades),
            *invariants.differences(_student(honest, HONEST), _student(grades, HONEST)),
        ]
        out = base / "class" / "out"
        return [_outcome(attack, grades, out, of_all) for attack in attacks]


def _limited(item: Lab) -> Lab:
    seconds = _PROGRAM_SECONDS if item.kind is LabKind.PROGRAM else _RUN_SECONDS
    return replace(item, limits=replace(item.limits, seconds=seconds, steps=_STEPS))


def _graded(
    base: Path, attacks: Sequence[Attack], labs: Sequence[Lab], repository: Repository, session: Session
) -> Grades:
    """Hand in, grade, and write whatever a batch writes."""
    (base / "handed-in").mkdir(parents=True)
    (base / "canary").write_text(invariants.CANARY)
    (base / "handed-in" / ".canary").write_text(invariants.CANARY)
    for item in labs:
        folder = base / "handed-in" / HONEST / item.name
        folder.mkdir(parents=True)
        for name in item.files:
            shutil.copyfile(repository.solution(item.name) / name, folder / name)
    for attack in attacks:
        _hand_in(attack, base / "handed-in")
    handed_in = invariants.tree(base / "handed-in")
    out = base / "out"
    grades = batch.grade_class(downloads.read(base / "handed-in"), out, session)
    results.write(grades, out)
    report.render(grades, out)
    assert invariants.tree(base / "handed-in") == handed_in, "grading changed what was handed in"
    return grades


def _hand_in(attack: Attack, folder: Path) -> None:
    entry = folder / attack.handed_in_as
    if attack.archive is not None:
        archives.forge(attack.archive, entry, attack.folder)
        return
    target = entry / attack.lab
    target.mkdir(parents=True)
    for file in attack.folder.iterdir():
        if file.name != "attack.toml":
            (target / file.name).write_bytes(handed_in.with_headers(file.read_bytes(), attack.folder.parent))


def _student(grades: Grades, entry: str) -> Student:
    return next(student for student in grades.students if student.entry == printable(entry))


def _outcome(attack: Attack, grades: Grades, out: Path, of_all: Sequence[str]) -> Outcome:
    student = _student(grades, attack.handed_in_as)
    result = next((result for result in student.results if result.lab == attack.lab), None)
    status = result.status if result else "unfit"
    points = result.score.total if result and result.score else None
    failures = [
        *_wrong_ending(attack, status, result, points),
        *_wrong_texts(attack, student, out),
        *of_all,
    ]
    return Outcome(attack, _ending(status, result), points, tuple(failures))


def _wrong_ending(attack: Attack, status: str, result: Result | None, points: float | None) -> Iterator[str]:
    if status != attack.status:
        problem = f" ({result.problem})" if result and result.problem else ""
        yield f"is {status}, not {attack.status}{problem}"
    if result is None:
        return
    if points is not None and points > attack.most_points:
        yield f"earns {points:g} points; the most is {attack.most_points:g}"
    build = _built(result.build)
    if attack.build and build != attack.build:
        yield f"the build is {build}, not {attack.build}: {result.build.summary if result.build else ''}"
    verdicts = _verdicts(result)
    if attack.verdicts and set(verdicts) != set(attack.verdicts):
        yield f"the verdicts are {', '.join(verdicts)}, not {', '.join(attack.verdicts)}"


def _wrong_texts(attack: Attack, student: Student, out: Path) -> Iterator[str]:
    saved = dumps(student) + dumps([(each.submission, each.build, each.run) for each in student.results])
    for words in attack.says:
        if words not in saved:
            yield f"nothing says {words!r}"
    pages = ["index.html", f"students/{student.id}.html"]
    table = ["gradebook.csv"]
    forbidden = ((attack.never, [*pages, *table, "results.json"]), (attack.never_in_pages, pages),
                 (attack.never_in_cells, table))  # fmt: skip
    for words, name in ((words, name) for each, names in forbidden for words in each for name in names):
        if words in (out / name).read_text(encoding="utf-8"):
            yield f"{words!r} stands in {name}"


def _ending(status: str, result: Result | None) -> str:
    if result is None or status != "graded":
        return status
    return ", ".join(_verdicts(result)) if _built(result.build) == "BUILT" else _built(result.build)


def _built(build: Build | None) -> str:
    return build.status.value if build else ""


def _verdicts(result: Result) -> list[str]:
    cases = result.judgement.cases if result.judgement else ()
    built = _built(result.build) == "BUILT"
    return list(dict.fromkeys(case.verdict.value for case in cases)) if built else []
