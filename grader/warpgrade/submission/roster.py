"""The roster: a CSV file that maps the names and ids of every platform to one student.

    student,name,canvas,email
    alice,Alice Doe,10442,alice@example.edu

`student` is the identity in the results and `name` is shown; two people may have the same name. The columns
`section`, `group` and `grader` say which part of the class the person belongs to, with whom the person hands
in, and who of the course staff looks at it. Every further column holds another name or id of the person: user
id, login, e-mail address or folder name.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core import handwritten
from ..core.errors import InstructorError, UsageError
from ..core.unicode import normalized

_ABOUT = ("section", "group", "grader")  # columns that are no names
_REMEDY = "the first line names the columns: student, name, and any that hold other names of the person"


@dataclass(frozen=True)
class Person:
    student: str
    name: str
    names: tuple[str, ...] = field(default=(), compare=False)  # all of them
    section: str = ""
    group: str = ""
    grader: str = ""


@dataclass(frozen=True)
class People:
    """Everyone in the roster, and an index by each of their names; by a `name` only if no other has it."""

    everyone: tuple[Person, ...]
    known: dict[str, Person]

    def members(self, group: str) -> tuple[Person, ...]:
        """Everyone in the group of that name."""
        wanted = folded(group)
        return tuple(person for person in self.everyone if wanted and folded(person.group) == wanted)

    def find(self, names: Iterable[str]) -> Person | None:
        """The person that the first known name of these belongs to."""
        return next((self.known[key] for name in names if (key := folded(name)) in self.known), None)


def load(file: Path) -> People:
    """The people in a file. UsageError if the file is missing, InstructorError with the wrong line."""
    try:
        text = handwritten.text(file, "save it as CSV in UTF-8")
    except FileNotFoundError:
        raise UsageError("is missing", file=file, remedy="name the list of the class, a CSV file") from None
    first = text.split("\n", 1)[0]
    # Excel's separator depends on its language.
    reader = csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=first.count))
    try:
        return _people(reader, file)
    except csv.Error as error:
        raise InstructorError(str(error), file=file, line=reader.line_num + 1, remedy=_REMEDY) from None


def _people(reader: csv.DictReader[str], file: Path) -> People:
    if not reader.fieldnames or "student" not in reader.fieldnames:
        raise InstructorError("has no column `student`", file=file, line=1, remedy=_REMEDY)
    everyone: dict[str, Person] = {}
    known: dict[str, Person] = {}
    called = defaultdict[str, list[Person]](list)  # by the name that is shown, which people may share
    for row in reader:
        cells = [(value or "").strip() for key, value in row.items() if key is not None and key not in _ABOUT]
        student = (row.get("student") or "").strip()
        if not any(cells):
            continue
        if not student or student in everyone:
            what = f"names {student!r} a second time" if student else "names no student"
            raise InstructorError(what, file=file, line=reader.line_num, remedy=_REMEDY)
        person = everyone[student] = Person(
            student,
            (row.get("name") or "").strip() or student,
            tuple(filter(None, cells)),
            *((row.get(key) or "").strip() for key in _ABOUT),
        )
        called[folded(person.name)].append(person)
        for name in filter(None, map(folded, _ids(row))):
            if known.setdefault(name, person) != person:
                raise InstructorError(
                    f"{name!r} means {known[name].student} and {student}",
                    file=file,
                    line=reader.line_num,
                    remedy="leave out the name that two people share",
                )
    alone = {name: people[0] for name, people in called.items() if len(people) == 1}
    return People(tuple(everyone.values()), alone | known)


def _ids(row: Mapping[str | None, str | None]) -> Iterator[str]:
    """The cells that mean one person alone: all but the name that is shown, and facts about the person."""
    return ((value or "").strip() for key, value in row.items() if key not in (None, "name", *_ABOUT))


def folded(name: str) -> str:
    """Names that differ only in case, spaces and Unicode form become equal."""
    composed = normalized("NFKC", name).casefold()
    return " ".join(normalized("NFKC", composed).split())
