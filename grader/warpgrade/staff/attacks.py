"""Submissions that try to win, to break or to see what they must not, and what must become of each.

An attack is a folder grader/tests/fixtures/attacks/<group>/<name>/ with attack.toml, the files that are
handed in and, for archives that cannot be stored, a recipe. A group is graded as one class, next
to one honest student: nobody may gain a point, nothing outside the boxes may change, the honest
student's result must be what it is without any attacker, and the batch must reach its end.
"""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..core.errors import InstructorError
from ..core.paths import House, file_hash
from ..core.serialize import dumps
from ..core.toml import line_of
from ..course import lab
from ..export import results
from ..grading import batch, session
from ..grading.session import Wish, Workshop
from ..records import Build, Grades, Lab, Result, Student
from ..report import html as report
from ..sandbox import process
from ..submission.admit import printable
from . import attack_archives

ATTACKS = Path("grader") / "tests" / "fixtures" / "attacks"
HONEST = "Grace Honest"
FULL = 100.0
# Still many times what a right kernel takes, so that bombs end soon.
_COMPILE = process.Limits(seconds=5, memory_bytes=1 << 30, address_bytes=1 << 30, file_bytes=32 << 20)
_RUN_SECONDS = 20.0
_STEPS = 200_000  # warp instructions a block; the largest right one takes a tenth of it
_CANARY = "nobody may touch this\n"


@dataclass(frozen=True)
class Attack:
    """attack.toml. `verdicts` is the set of verdicts over all cases; empty where no case is run."""

    group: str
    name: str
    folder: Path
    title: str
    tries: str
    stops: str  # what must stop it
    most_points: float
    lab: str = "01-basic"
    allowed: str = ""  # why it may get more than the points for building
    entry: str = ""  # how the class folder calls it; the attack's name if empty
    status: str = "graded"  # graded, refused, or unfit: the entry holds nothing that can be graded
    build: str = ""
    verdicts: tuple[str, ...] = ()
    says: tuple[str, ...] = ()  # must stand in what is told about it
    never: tuple[str, ...] = ()  # may stand in no file that the batch writes, as it is,
    never_in_pages: tuple[str, ...] = ()  # nor here,
    never_in_cells: tuple[str, ...] = ()  # nor in the gradebook
    archive: dict[str, Any] | None = None  # see forgery.py

    @property
    def handed_in_as(self) -> str:
        return self.entry or self.name


@dataclass(frozen=True)
class Outcome:
    """What became of an attack; `failures` is empty where everything held."""

    attack: Attack
    became: str
    points: float | None
    failures: tuple[str, ...]


# --- reading -----------------------------------------------------------------------------------


def find(house: House) -> tuple[Attack, ...]:
    """All attacks by group and name. InstructorError where an attack.toml is wrong."""
    return tuple(_load(file) for file in sorted((house.root / ATTACKS).glob("*/*/attack.toml")))


def _load(file: Path) -> Attack:
    text = file.read_text(encoding="utf-8")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InstructorError(str(error), file=file) from None
    known = {field.name for field in fields(Attack)} - {"group", "name", "folder"}
    for key in table.keys() - known:
        raise InstructorError(f"unknown key {key!r}", file=file, line=line_of(text, [key]))
    lists: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
    }
    try:
        return Attack(file.parent.parent.name, file.parent.name, file.parent, **lists)
    except TypeError as error:
        raise InstructorError(str(error).split("__init__() ")[-1], file=file) from None


# --- one class a group -------------------------------------------------------------------------


def run(house: House, attacks: Sequence[Attack], walls: str = "bwrap", jobs: int = 0) -> Iterator[Outcome]:
    """Grade each group of these attacks as a class. GraderError where the machine cannot grade."""
    for group in sorted({attack.group for attack in attacks}):
        yield from run_group(house, [attack for attack in attacks if attack.group == group], walls, jobs)


def run_group(house: House, attacks: Sequence[Attack], walls: str = "bwrap", jobs: int = 0) -> list[Outcome]:
    """These attacks and an honest student as one class; the outcomes in the attacks' order."""
    labs = [lab.named(house, name) for name in sorted({attack.lab for attack in attacks})]
    shop = session.prepare(
        house, [_limited(each) for each in labs], Wish("emulator", walls, jobs=jobs, fresh=True)
    )
    shop = replace(shop, compiler=replace(shop.compiler, limits=_COMPILE))
    with TemporaryDirectory(prefix="attacks-") as name:
        base = Path(name)
        base.chmod(0o755)
        honest = _graded(base / "alone", [], labs, house, shop)
        before = _watched(house, labs)
        grades = _graded(base / "class", attacks, labs, house, shop)
        of_all = [
            *_changes(before, _watched(house, labs)),
            *_strays(base / "class", grades),
            *_broken_tables(base / "class" / "out", grades),
            *_dishonoured(_student(honest, HONEST), _student(grades, HONEST)),
        ]
        out = base / "class" / "out"
        return [_outcome(attack, grades, out, of_all) for attack in attacks]


def _limited(item: Lab) -> Lab:
    return replace(item, limits=replace(item.limits, seconds=_RUN_SECONDS, steps=_STEPS))


def _graded(
    base: Path, attacks: Sequence[Attack], labs: Sequence[Lab], house: House, shop: Workshop
) -> Grades:
    """Hand in, grade, and write whatever a batch writes."""
    (base / "handed-in").mkdir(parents=True)
    (base / "canary").write_text(_CANARY)
    (base / "handed-in" / ".canary").write_text(_CANARY)
    for item in labs:
        folder = base / "handed-in" / HONEST / item.name
        folder.mkdir(parents=True)
        shutil.copyfile(house.solution(item.name) / item.files[0], folder / item.files[0])
    for attack in attacks:
        _hand_in(attack, base / "handed-in")
    handed_in = _tree(base / "handed-in")
    out = base / "out"
    light = batch.grade_class(base / "handed-in", out, shop)
    grades = replace(light, students=tuple(batch.whole(student, out) for student in light.students))
    results.write(grades, out)
    report.render(grades, out)
    assert _tree(base / "handed-in") == handed_in, "grading changed what was handed in"
    return grades


def _hand_in(attack: Attack, folder: Path) -> None:
    entry = folder / attack.handed_in_as
    if attack.archive is not None:
        attack_archives.forge(attack.archive, entry, attack.folder)
        return
    target = entry / attack.lab
    target.mkdir(parents=True)
    for file in attack.folder.iterdir():
        if file.name != "attack.toml":
            shutil.copyfile(file, target / file.name)


# --- what must hold for all --------------------------------------------------------------------


def _watched(house: House, labs: Sequence[Lab]) -> dict[str, str]:
    """Hash of each file of these labs that no submission may touch."""
    tops = [house.common, house.root / "datasets"]
    for item in labs:
        tops += [house.labs / item.name, house.solution(item.name)]
    files = (path for top in tops for path in sorted(top.rglob("*")) if path.is_file())
    return {str(path.relative_to(house.root)): file_hash(path) for path in files}


def _tree(top: Path) -> list[tuple[str, str]]:
    """Everything below, with contents of regular files; links are not followed."""
    found = []
    for path in sorted(top.rglob("*")):
        regular = path.is_file() and not path.is_symlink()
        found.append(
            (str(path.relative_to(top)), hashlib.sha256(path.read_bytes()).hexdigest() if regular else "")
        )
    return found


def _changes(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield f"{name} was changed while the class was graded"


def _strays(base: Path, grades: Grades) -> Iterator[str]:
    """Files where none should be, and canaries that were touched."""
    if (base / "canary").read_text() != _CANARY:
        yield "the canary beside the class was touched"
    if {path.name for path in base.iterdir()} != {"canary", "handed-in", "out"}:
        yield "there are new files beside the class"
    ours = {"class.json", "results.json", "gradebook.csv", "index.html", "students", ".lock"}
    known = ours | {student.id for student in grades.students}
    for path in (base / "out").iterdir():
        if path.name not in known:
            yield f"there is a stray file in the results: {path.name!r}"
    pages = {path.name for path in (base / "out" / "students").iterdir()}
    if pages != {f"{student.id}.html" for student in grades.students}:
        yield "not every student has one page"
    if len({student.id.casefold() for student in grades.students}) != len(grades.students):
        yield "two students share one id"


def _broken_tables(out: Path, grades: Grades) -> Iterator[str]:
    """Rows, cells and records that somebody's text has added or broken."""
    with (out / "gradebook.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    if [row[0] for row in rows[1:]] != [student.id for student in grades.students]:
        yield "the gradebook has not one row for each student"
    if len({len(row) for row in rows}) != 1:
        yield "the gradebook's rows differ in length"
    told = json.loads((out / "results.json").read_text(encoding="utf-8"))
    if [student["id"] for student in told["students"]] != [student.id for student in grades.students]:
        yield "results.json has not one record for each student"


def _dishonoured(alone: Student, among: Student) -> Iterator[str]:
    """How the honest student fares worse, or just otherwise, than without attackers."""
    if [result.lab for result in alone.results] != [result.lab for result in among.results]:
        yield "the honest student's labs are others than without attackers"
        return
    for mine, other in zip(alone.results, among.results, strict=True):
        if mine.score is None or mine.score.total != FULL:
            yield f"the honest student has {mine.score.total if mine.score else None} points, alone"
        for what in ("status", "build", "run", "judgement", "score", "problem"):
            if getattr(mine, what) != getattr(other, what):
                yield f"the honest student's {what} of {mine.lab} is another than without attackers"


# --- what must become of one -------------------------------------------------------------------


def _student(grades: Grades, entry: str) -> Student:
    return next(student for student in grades.students if student.entry == printable(entry))


def _outcome(attack: Attack, grades: Grades, out: Path, of_all: Sequence[str]) -> Outcome:
    student = _student(grades, attack.handed_in_as)
    result = next((result for result in student.results if result.lab == attack.lab), None)
    status = result.status if result else "unfit"
    points = result.score.total if result and result.score else None
    failures = [
        *_wrong_ending(attack, status, result, points),
        *_words(attack, student, out),
        *of_all,
    ]
    return Outcome(attack, _became(status, result), points, tuple(failures))


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


def _words(attack: Attack, student: Student, out: Path) -> Iterator[str]:
    told = dumps(student)
    for words in attack.says:
        if words not in told:
            yield f"nothing says {words!r}"
    pages = ["index.html", f"students/{student.id}.html"]
    table = ["gradebook.csv"]
    forbidden = ((attack.never, [*pages, *table, "results.json"]), (attack.never_in_pages, pages),
                 (attack.never_in_cells, table))  # fmt: skip
    for words, name in ((words, name) for each, names in forbidden for words in each for name in names):
        if words in (out / name).read_text(encoding="utf-8"):
            yield f"{words!r} stands in {name}"


def _became(status: str, result: Result | None) -> str:
    if result is None or status != "graded":
        return status
    return ", ".join(_verdicts(result)) if _built(result.build) == "BUILT" else _built(result.build)


def _built(build: Build | None) -> str:
    return build.status.value if build else ""


def _verdicts(result: Result) -> list[str]:
    cases = result.judgement.cases if result.judgement else ()
    built = _built(result.build) == "BUILT"
    return list(dict.fromkeys(case.verdict.value for case in cases)) if built else []
