"""What must hold after a class with attackers was graded, whoever they are.

Nothing outside the sandbox has changed, every table is whole, and the honest student's result is what it
is without any attacker.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from warpgrade.core.paths import Repository, file_hash
from warpgrade.records import Grades, Lab, Student

FULL = 100.0
CANARY = "nobody may touch this\n"


def protected_files(repository: Repository, labs: Sequence[Lab]) -> dict[str, str]:
    """Hash of each file of these labs that no submission may touch."""
    tops = [repository.common, repository.root / "datasets"]
    for item in labs:
        tops += [repository.labs / item.name, repository.solution(item.name)]
    files = (path for top in tops for path in sorted(top.rglob("*")) if path.is_file())
    return {str(path.relative_to(repository.root)): file_hash(path) for path in files}


def tree(top: Path) -> list[tuple[str, str]]:
    """Everything below, with contents of regular files; links are not followed."""
    found = []
    for path in sorted(top.rglob("*")):
        regular = path.is_file() and not path.is_symlink()
        found.append(
            (str(path.relative_to(top)), hashlib.sha256(path.read_bytes()).hexdigest() if regular else "")
        )
    return found


def changes(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield f"{name} was changed while the class was graded"


def unexpected_files(base: Path, grades: Grades) -> Iterator[str]:
    """Files where none should be, and canaries that were touched."""
    if (base / "canary").read_text() != CANARY:
        yield "the canary beside the class was touched"
    if {path.name for path in base.iterdir()} != {"canary", "handed-in", "out"}:
        yield "there are new files beside the class"
    ours = {"class.json", "results.json", "gradebook.csv", "index.html", "students", ".lock"}
    known = ours | {student.id for student in grades.students}
    for path in (base / "out").iterdir():
        if path.name not in known:
            yield f"there is an unexpected file in the results: {path.name!r}"
    pages = {path.name for path in (base / "out" / "students").iterdir()}
    if pages != {f"{student.id}.html" for student in grades.students}:
        yield "not every student has one page"
    if len({student.id.casefold() for student in grades.students}) != len(grades.students):
        yield "two students share one id"


def broken_tables(out: Path, grades: Grades) -> Iterator[str]:
    """Rows, cells and records that somebody's text has added or broken."""
    with (out / "gradebook.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    if [row[0] for row in rows[1:]] != [student.id for student in grades.students]:
        yield "the gradebook has not one row for each student"
    if len({len(row) for row in rows}) != 1:
        yield "the gradebook's rows differ in length"
    saved = json.loads((out / "results.json").read_text(encoding="utf-8"))
    if [student["id"] for student in saved["students"]] != [student.id for student in grades.students]:
        yield "results.json has not one record for each student"


def differences(alone: Student, among: Student) -> Iterator[str]:
    """Each way in which the honest student's result among attackers is not the result without them."""
    if [result.lab for result in alone.results] != [result.lab for result in among.results]:
        yield "the honest student's labs are others than without attackers"
        return
    for mine, other in zip(alone.results, among.results, strict=True):
        if mine.score is None or mine.score.total != FULL:
            yield f"the honest student has {mine.score.total if mine.score else None} points, alone"
        for what in ("status", "build", "run", "judgement", "score", "problem"):
            if getattr(mine, what) != getattr(other, what):
                yield f"the honest student's {what} of {mine.lab} is another than without attackers"
