"""Fill points into a sheet that was downloaded from Canvas or Moodle.

Only the cells of the grade (and of Moodle's feedback) change. Every other cell is kept, as these
systems find rows by headings and hidden columns. A student whose score is withheld, or who is not in
the results, keeps the sheet's value.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..core.errors import UsageError
from ..core.formatting import points
from ..core.unicode import normalized
from ..records import Grades, Lab, Result, Student
from .results import safe

_CANVAS_FIXED = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Integration ID", "Root Account")
_POINTS_POSSIBLE = "Points Possible"
# Headings of Moodle's sheet in common languages; other headings are given as options.
_MOODLE_GRADE = ("Grade", "Bewertung", "Note", "Calificación", "Valutazione", "Nota", "Cijfer", "Ocena")
_MOODLE_MOST = ("Maximum Grade", "Maximum grade", "Bestwertung", "Note maximale", "Calificación máxima")
_MOODLE_FEEDBACK = ("Feedback comments", "Feedback als Kommentar", "Commentaires de feedback",
                    "Comentarios de retroalimentación", "Commenti di feedback")  # fmt: skip


@dataclass(frozen=True)
class Filled:
    text: str
    filled: int
    strangers: tuple[str, ...]  # rows of the sheet for whom there is no result
    missing: tuple[str, ...]  # results for whom the sheet has no row


def canvas(sheet: str, grades: Grades, lab: Lab, column: str = "") -> Filled:
    """`column`: heading of the assignment, if it is not the lab's name."""
    rows, dialect = _rows(sheet)
    head = rows[0]
    if "Student" not in head or "ID" not in head:
        raise UsageError("is no gradebook of Canvas: it has no columns Student and ID")
    at = _column(head, column, lab, [i for i, name in enumerate(head) if name not in _CANVAS_FIXED])
    possible = next(
        (_number(row[at]) for row in rows[1:3] if row and row[0].strip() == _POINTS_POSSIBLE), None
    )
    people = [row for row in rows[1:] if len(row) == len(head) and row[head.index("ID")].strip().isdigit()]
    ids = [head.index(name) for name in ("ID", "SIS User ID", "SIS Login ID") if name in head]
    return _fill(rows, dialect, people, _Columns(at, None, tuple(ids), (head.index("Student"),)), grades, lab,
                 lambda row: possible)  # fmt: skip


def moodle(sheet: str, grades: Grades, lab: Lab, column: str = "", feedback: str = "") -> Filled:
    """`column` and `feedback`: headings of a sheet in another language."""
    rows, dialect = _rows(sheet)
    head = rows[0]
    at = head.index(column) if column in head else _known(head, _MOODLE_GRADE)
    if at is None:
        raise _no_column(head, "grade", "--column")
    said = head.index(feedback) if feedback in head else _known(head, _MOODLE_FEEDBACK)
    most = _known(head, _MOODLE_MOST)
    people = [row for row in rows[1:] if len(row) == len(head) and _last_digits(row[0])]
    if not people:
        raise UsageError("is no grading sheet of Moodle: its first column holds no `Participant 123`")
    names = tuple(i for i in range(1, min(3, len(head))) if i != at)
    return _fill(rows, dialect, people, _Columns(at, said, (0,), names), grades, lab,
                 lambda row: _number(row[most]) if most is not None else None)  # fmt: skip


# --- filling -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Columns:
    grade: int
    feedback: int | None
    ids: tuple[int, ...]
    names: tuple[int, ...]


def _fill(rows: list[list[str]], dialect: type[csv.Dialect], people: list[list[str]], columns: _Columns,
          grades: Grades, lab: Lab, most: Callable[[list[str]], float | None]) -> Filled:  # fmt: skip
    """`people`: those of `rows` that are a student's. `most`: the points that a row's 100 are worth."""
    found: dict[int, Student] = {}
    for number, row in enumerate(people):
        student = _student(row, columns, grades.students)
        if student is not None:
            found[number] = student
    filled = 0
    for number, student in found.items():
        result = next((each for each in student.results if each.lab == lab.name), None)
        total = result.score.total if result and result.score else None
        if result is None or total is None or result.score is None:
            continue
        row, highest = people[number], most(people[number])
        row[columns.grade] = points(total if highest is None else total * highest / result.score.possible)
        if columns.feedback is not None:
            row[columns.feedback] = safe(_feedback(lab, result))
        filled += 1
    stream = io.StringIO()
    csv.writer(stream, dialect).writerows(rows)
    strangers = tuple(people[i][columns.names[0]] for i in range(len(people)) if i not in found)
    taken = {student.id for student in found.values()}
    return Filled(
        stream.getvalue(), filled, strangers, tuple(s.id for s in grades.students if s.id not in taken)
    )


def _last_digits(text: str) -> str:
    """The digits at the end: "Participant 123" → "123". Linear, as a pattern that ends with $ is not."""
    digits = itertools.takewhile(str.isdecimal, reversed(text.rstrip()))
    return "".join(digits)[::-1]


def _student(row: Sequence[str], columns: _Columns, students: Sequence[Student]) -> Student | None:
    """The student whom this row means: by number or login first, else by name. None if ambiguous."""
    ids = {_plain(part) for at in columns.ids for part in (row[at], _last_digits(row[at]))}
    by_id = [each for each in students if ids & _ids(each) - {""}]
    if len(by_id) == 1:
        return by_id[0]
    names = {_plain(row[at]) for at in columns.names} - {""}
    names |= {_plain(" ".join(reversed(row[at].split(",", 1)))) for at in columns.names if "," in row[at]}
    by_name = [each for each in by_id or students if names & {_plain(each.name), _plain(each.id)}]
    return by_name[0] if len(by_name) == 1 else None


def _ids(student: Student) -> set[str]:
    """Numbers in the name of the student's entry: Canvas's and Moodle's identifiers."""
    return {_plain(student.id), *(_plain(part) for part in student.entry.split("_") if part.isdigit())}


def _plain(text: str) -> str:
    letters = normalized("NFKD", text).casefold()
    return "".join(c for c in letters if c.isalnum())


def _feedback(lab: Lab, result: Result) -> str:
    from ..feedback.student_lab import next_step

    return next_step(lab, result)


# --- the sheet ---------------------------------------------------------------------------------


def _rows(sheet: str) -> tuple[list[list[str]], type[csv.Dialect]]:
    """All rows, and the format to write them in again."""
    text = sheet.removeprefix("\ufeff")
    first = text.split("\n", 1)[0]
    delimiters = max(",;\t", key=first.count)

    class SheetDialect(csv.excel):
        delimiter = delimiters
        lineterminator = "\r\n" if "\r\n" in text else "\n"

    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), SheetDialect))
    except csv.Error as error:
        raise UsageError(f"is no CSV: {error}", remedy="download the sheet again") from None
    if len(rows) < 2:
        raise UsageError("holds no rows", remedy="download the sheet again, with its students")
    return rows, SheetDialect


def _column(head: Sequence[str], wanted: str, lab: Lab, allowed: Sequence[int]) -> int:
    for name in filter(None, (wanted, lab.name, lab.title)):
        titles = {i: re.sub(r"(?<!\s)\s*\(\d+\)$", "", head[i]) for i in allowed}
        exact = [i for i in allowed if name in (head[i], titles[i])]
        near = [i for i in allowed if _plain(name) and _plain(name) in _plain(titles[i])]
        for found in (exact, near):
            if len(found) == 1:
                return found[0]
        if name == wanted:
            break
    raise _no_column([head[i] for i in allowed], f"{lab.name}'s points", "--column")


def _known(head: Sequence[str], names: Sequence[str]) -> int | None:
    return next((head.index(name) for name in names if name in head), None)


def _no_column(head: Sequence[str], what: str, option: str) -> UsageError:
    return UsageError(
        f"has no column that is surely for {what}",
        remedy=f"name it: {option} with one of {', '.join(head[:12])}",
    )


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
