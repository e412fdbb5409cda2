"""`warpgrade history`: every attempt of a student."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core.errors import UsageError
from ....core.paths import here
from ... import class_output
from ...command_groups import ListedCommand
from ...console import screen
from ...parameters import File

if TYPE_CHECKING:
    from ....records import Grades, Student


@click.command(cls=ListedCommand, position=15)
@click.argument("name", metavar="STUDENT")
@click.option("--out", type=File(), help="default: build/grades")
def command(name: str, out: Path | None) -> int:
    """Show a student's attempts at all labs, and what became of each.

    STUDENT: an id, or a part of a name that only one student has.
    """
    from ....grading import saved_grades
    from ....report import terminal

    out = out or here().grades
    grades = saved_grades.load(out)
    student = _named(grades, name, out)
    console = screen() if screen().is_terminal else screen(class_output.WIDE)
    console.print(f"{student.id} ({student.name})", markup=False)
    if student.problem and not student.unread:
        console.print(student.problem.message, markup=False)
    for each in student.unread or ():
        console.print(str(each), markup=False)
    console.print(terminal.history_table(student))
    return 0


def _spelled_alike(grades: Grades, wanted: str) -> str:
    called = {
        name.casefold(): student.id for student in grades.students for name in (student.name, student.id)
    }
    alike = dict.fromkeys(called[each] for each in difflib.get_close_matches(wanted, called))
    return f"did you mean {' or '.join(alike)}?" if alike else "gradebook.csv has all ids"


def _named(grades: Grades, name: str, out: Path) -> Student:
    from ....submission.admit import identity

    exact = [student for student in grades.students if student.id in (name, identity(name))]
    wanted = name.casefold()
    near = [
        each for each in grades.students if wanted in each.name.casefold() or wanted in each.id.casefold()
    ]
    found = exact or near
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"holds no student {name!r}", file=out, remedy=_spelled_alike(grades, wanted))
    some = ", ".join(student.id for student in found[:8])
    raise UsageError(f"{name!r} may be any of {some}", file=out, remedy="type the whole id")
