"""class.json: what a class has in common on the first line, then one student on each line.

A class of 100,000 submissions does not fit in memory. The students of a large class are therefore read from
the file whenever they are gone through; those of a small class are kept.
"""

from __future__ import annotations

import json
import os
import weakref
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from ..core import store
from ..core.errors import UsageError
from ..core.lazy_sequence import LazySequence
from ..core.serialize import dumps, from_data
from ..records import Grades, Student

MOST_KEPT = 2_000  # students of a class that are all kept in memory
_CLASS = "class"
_OPEN, _CLOSE = ', "students": [\n', "]}}\n"


def path_of(out: Path) -> Path:
    return out / f"{_CLASS}.json"


def save(grades: Grades, students: Iterable[Student], out: Path) -> None:
    """Write class.json: everything of `grades` but its students, then these, as they come."""
    store.write_pieces(path_of(out), _pieces(grades, students))


def _pieces(grades: Grades, students: Iterable[Student]) -> Iterator[str]:
    head = {"labs": grades.labs, "notes": grades.notes, "setting": grades.setting}
    yield dumps({"key": "", "record": head}).removesuffix("}}\n") + _OPEN
    end = ""
    for student in students:
        yield end + dumps(student).rstrip("\n")
        end = ",\n"
    yield ("\n" if end else "") + _CLOSE


def load(out: Path) -> Grades | None:
    """The saved grades without stages; None if the file is missing, damaged, or cannot be read."""
    try:
        with path_of(out).open("rb") as file:
            head = file.readline().decode()
            if not head.endswith(_OPEN):  # of an older grader
                return store.load(out, _CLASS, None, Grades)
            common = json.loads(head.removesuffix(_OPEN) + "}}")["record"]
            lines = _Lines(file, path_of(out))
            students: Sequence[Student] = LazySequence(len(lines), lines.student)
        if len(students) <= MOST_KEPT:
            students = tuple(students)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, UsageError):
        return None
    return replace(from_data(Grades, {**common, "students": []}), students=students)


def unreadable(path: Path) -> UsageError:
    remedy = "move it away, or name another folder with --out"
    return UsageError("cannot be read, and may hold grades", file=path, remedy=remedy)


class _Lines:
    """Where the students' lines stand in a file, which is kept open: it may be replaced meanwhile."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        """`file` stands behind the first line."""
        self._path = path
        self._starts = array("Q", _starts(file))  # of the lines, and the end of the last one
        self._file = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._file)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def student(self, at: int) -> Student:
        """The student of a line. UsageError if it holds none."""
        start, end = self._starts[at], self._starts[at + 1]
        line = os.pread(self._file, end - start, start)
        try:
            return from_data(Student, json.loads(line.rstrip(b",\n")))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise unreadable(self._path) from None


def _starts(file: BinaryIO) -> Iterator[int]:
    """Where each student's line begins, and where the last one ends. ValueError if the end is missing."""
    start, last = file.tell(), b""
    for last in file:
        yield start
        start += len(last)
    if last != _CLOSE.encode():
        raise ValueError("the end of the file is missing")
