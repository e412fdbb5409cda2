"""The class's table and problems for a terminal. This module builds text; cli/ prints it."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ..core import formatting
from ..core.formatting import SIGNS
from ..feedback.attempts import attempts_of
from ..overview.changes import Change
from ..records import Grades, LabKind, Occupancy, Problem, Result, Student, Verdict

_NOT_BUILT = "✗"
_UNBUILT = ("does not build", "cannot be marked")  # of a program, of answers
_REFUSED = "!"
MOST_ROWS = 1000  # of the class's table
_CELL = 8  # columns: "withheld", "   100 ≠⇄"
_GAP = 2  # columns between columns of the table
_NAME = 12  # columns of a student's name that stay readable


@dataclass(frozen=True)
class ClassTable:
    table: Table
    left_out: tuple[str, ...]  # labs for which the terminal is too narrow


def class_table(grades: Grades, width: int = 200) -> ClassTable:
    """A row for each student, a column for each lab: points, and a sign for each kind of fault.

    Labs of which nobody has handed in anything have no column, unless that is all of them. A lab is named by
    its number if the names do not fit into `width` columns; if these do not fit, the first labs are left out.
    The table has the first MOST_ROWS students of a larger class.
    """
    shown = list(itertools.islice(grades.students, MOST_ROWS))
    student = max([len("student"), *(len(each.id) for each in shown)])
    every = [lab.name for lab in grades.labs]
    handed_in = {result.lab for each in grades.students for result in each.results}
    columns = {name: _column(name, shown) for name in every if name in handed_in}
    columns = columns or {name: _column(name, shown) for name in every}
    widths = {name: max([_CELL, *map(len, cells)]) for name, cells in columns.items()}
    is_short = student + sum(max(widths[name], len(name)) + _GAP for name in columns) > width
    labs = _last_that_fit(widths, width - min(student, _NAME)) if is_short else list(columns)
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    left = width - sum(widths[name] + _GAP for name in labs)
    table.add_column("student", no_wrap=True, overflow="ellipsis", max_width=max(_NAME, left))
    for name in labs:
        table.add_column(name.partition("-")[0] if is_short else name, no_wrap=True, min_width=widths[name])
    for row, each in enumerate(shown):
        table.add_row(Text(each.id), *(columns[name][row] for name in labs))
    return ClassTable(table, tuple(name for name in columns if name not in labs))


def _column(lab: str, students: Sequence[Student]) -> list[Text]:
    results = (next((each for each in student.results if each.lab == lab), None) for student in students)
    return list(map(_cell, results))


def _last_that_fit(widths: Mapping[str, int], width: int) -> list[str]:
    """The last labs whose columns fit into `width`, at least one: the newest are looked for."""
    reached = list(itertools.accumulate(widths[name] + _GAP for name in reversed(list(widths))))
    return list(widths)[-max(1, sum(end <= width for end in reached)) :]


def history_table(student: Student) -> Table:
    """A row for each attempt. The student's total is the sum over the attempts that count."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("lab", "attempt", "counts", "handed in", "points", "signs"):
        table.add_column(heading, no_wrap=True)
    table.add_column("why", overflow="fold")
    for each in attempts_of(student):
        result, counts = each.result, "counts" if each.counts else ""
        cells = (result.lab, str(result.attempt), counts, each.submitted, each.points,
                 "".join(_signs(result)), plain(each.why))  # fmt: skip
        table.add_row(*map(Text, cells), style="bold" if counts else "")
    return table


def changes_table(found: Sequence[Change]) -> Table:
    """A row for each student's lab that changed, and below it the rows that explain it."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("student", "lab", "what", "before", "after"):
        table.add_column(heading, no_wrap=True)
    table.add_column("reason", overflow="fold")
    for change in found:
        whole = change.what == "total"
        cells = (change.student if whole else "", change.lab if whole else "", change.what, change.before,
                 change.after, plain(change.reason))  # fmt: skip
        table.add_row(*map(Text, cells), style="bold" if whole else "")
    return table


def remarks(grades: Grades) -> list[str]:
    """Entries in which nothing could be graded, with the reason, and answers that cannot be marked. A remedy
    that several entries share is printed once, below them.
    """
    found: dict[str, list[str]] = {}
    unmarked: list[str] = []
    of_questions = _of_questions(grades)
    for each in grades.students:
        if each.problem:
            words = formatting.sentences(f"{each.id}: {each.problem.message}")
            found.setdefault(each.problem.remedy, []).append(words)
        for result in each.results:
            if result.build_failed and result.lab in of_questions and result.build:
                unmarked.append(f"{each.id}, {result.lab}: {plain(result.build.summary)}")
    for remedy, lines in found.items():
        lines += [f"  → {remedy}"] if remedy else []
    return [line for lines in found.values() for line in lines] + unmarked


def _of_questions(grades: Grades) -> set[str]:
    return {lab.name for lab in grades.labs if lab.kind is LabKind.ANSWERS}


def choices(grades: Grades) -> Iterator[str]:
    """The hand-ins with more files than a lab has: which one counts. Of those that the table has."""
    for student in itertools.islice(grades.students, MOST_ROWS):
        for result in student.results:
            if result.choice:
                yield f"{student.id}, {result.lab}: {plain(result.choice)}"


def legend(grades: Grades) -> str:
    """The signs that the table uses, with their words."""
    of_questions = _of_questions(grades)
    results = (result for student in grades.students for result in student.results)
    used = {(sign, result.lab in of_questions) for result in results for sign in _signs(result)}
    unbuilt = [words for kind, words in enumerate(_UNBUILT) if (_NOT_BUILT, bool(kind)) in used]
    known = [(sign.glyph, sign.words) for sign in SIGNS.values()]
    known += [(_NOT_BUILT, " or ".join(unbuilt)), (_REFUSED, "refused")]
    glyphs = {glyph for glyph, _ in used}
    return "   ".join(f"{glyph} {words}" for glyph, words in known if glyph in glyphs)


def _cell(result: Result | None) -> Text:
    if result is None:
        return Text("     –", "dim")
    if result.score is None or result.score.total is None:
        return Text("withheld", "magenta")
    total = result.score.total
    colour = "green" if total >= result.score.possible else ""
    return Text.assemble((f"{formatting.points(total):>6}", colour), (f" {''.join(_signs(result))}", "red"))


def _signs(result: Result) -> list[str]:
    if result.status == "refused":
        return [_REFUSED]
    if result.build_failed:
        return [_NOT_BUILT]
    verdicts = dict.fromkeys(case.verdict for case in result.judgement.cases) if result.judgement else {}
    return [SIGNS[verdict].glyph for verdict in SIGNS if verdict in verdicts and verdict != Verdict.PASS]


def occupancy_words(seats: Occupancy) -> str:
    """ "50%: 32 of 64 warps an SM, limited by registers"; nothing limits an SM that is full."""
    words = f"{seats.fraction:.0%}: {seats.warps} of {seats.most_warps} warps an SM"
    return words if seats.warps == seats.most_warps else f"{words}, limited by {escape(seats.limiter)}"


def problem_lines(problem: Problem, width: int = 0) -> list[str]:
    """A problem and its remedy as markup, wrapped at words if a width is given."""
    place = f"{problem.where}: " if problem.where else ""
    wrapped = _filled(f"{problem.fault}: {place}{problem.message}", width, "")
    lines = [wrapped[0].replace(escape(problem.fault), f"[bold red]{problem.fault}[/]", 1), *wrapped[1:]]
    if problem.remedy:
        wrapped = _filled(f"  → {problem.remedy}", width, "    ")
        lines += [wrapped[0].replace("→", "[bold]→[/]", 1), *wrapped[1:]]
    return lines


def _filled(text: str, width: int, indent: str) -> list[str]:
    """Each line of the text as one line or more, as markup."""
    lines = text.split("\n")
    if width:
        filler = textwrap.TextWrapper(
            width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
        lines = [part for line in lines for part in filler.wrap(line) or [""]]
    return [escape(line) for line in lines]


def plain(text: str, *, keep_end: bool = False) -> str:
    """The text without control characters, which a terminal would execute."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return shown if keep_end else shown.rstrip()
