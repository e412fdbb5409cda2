"""A class's pages under pseudonyms, so that those who mark by hand do not know whose work it is.

Names that students write into their source stay, as it is shown unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..records import Grades, Student
from . import html


def write(grades: Grades, names: Mapping[str, str], grader: str, out: Path) -> Path:
    """Write the pages of the class, or of one grader's students, and return the path of the first one."""
    chosen = [student for student in grades.students if grader in ("", student.grader)]
    students = sorted(
        (_anonymous(student, names[student.id]) for student in chosen), key=lambda each: each.id
    )
    html.render(replace(grades, students=tuple(students), notes=()), out)
    return out / "index.html"


def _anonymous(student: Student, name: str) -> Student:
    unread = tuple(replace(each, entry=name) for each in student.unread or ()) or None
    return replace(student, id=name, name=name, entry=name, notes=(), group="", unread=unread)
