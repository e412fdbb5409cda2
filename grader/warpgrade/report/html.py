"""Grades as web pages: index.html for the class, students/<id>.html for each student.

Each page is one file that needs no network. It is made from records alone, so that a report can be made
again without compiler and GPU. Everything that a student wrote reaches a template as text and is
escaped there.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup

from ..core import formatting, store
from ..core.errors import WarpgradeError
from ..core.paths import here
from ..feedback import playable, student_lab
from ..feedback.attempts import attempts_of
from ..feedback.performance import metrics, roofline
from ..gpu import ladder_file, spec
from ..overview import class_overview, leaderboard
from ..overview.changes import Change, LabSummary
from ..overview.class_overview import ClassOverview
from ..records import Grades, Student

if TYPE_CHECKING:
    from ..drawing.source_lines import LinePicture

_NO_PICTURES: Mapping[str, Sequence[LinePicture]] = MappingProxyType({})
_NO_PLAYERS: Mapping[tuple[str, int], str] = MappingProxyType({})
ROWS = 500  # of the table of points on one page: a browser shows it at once
_OF_CLASS = ("leaderboard-*.html", "class-*.html")  # pages of a class besides index.html
TEMPLATES = Path(__file__).parent / "templates"
# Students' text may contain control characters, marks of the writing direction and lone surrogates.
_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class ReportWriter:
    """Writes a class's pages below `out`, student by student, so that each saved file is read once."""

    def __init__(self, grades: Grades, out: Path) -> None:
        found = (out / playable.FOLDER).glob("*.html")
        self._out = out
        self._pages = _ClassPages(grades, {f"{playable.FOLDER}/{page.name}" for page in found})
        self._written: dict[Path, None] = {}

    def add(self, student: Student) -> None:
        """Write the student's page."""
        self._write(*self._pages.student_page(student))

    def finish(self) -> list[Path]:
        """Write the pages of the class. Returns the paths of all pages."""
        for name, text in self._pages.class_pages():
            self._write(name, text)
        # The folder may be published: it must not contain pages of an earlier class.
        of_class = (page for name in _OF_CLASS for page in self._out.glob(name))
        players = (self._out / playable.FOLDER).glob("*.html")
        kept = {*self._written, *(self._out / name for name in self._pages.players.values())}
        for page in (*(self._out / "students").glob("*.html"), *players, *of_class):
            if page not in kept:
                page.unlink()
        return list(self._written)

    def _write(self, name: str, text: str) -> None:
        store.write_text(self._out / name, _shown(text))
        self._written[self._out / name] = None


def _shown(text: str) -> str:
    """The text without characters that cannot be shown."""
    return _UNSHOWABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def render(grades: Grades, out: Path) -> list[Path]:
    """Write all pages under `out` and return their paths."""
    writer = ReportWriter(grades, out)
    for student in grades.students:
        writer.add(student)
    return writer.finish()


def student_page(grades: Grades, student: Student) -> str:
    """The page of one student."""
    text = _student_page(_environment(), grades, student, metrics.meanings(metrics.table()))
    return _shown(text)


def page(template: str, **values: object) -> str:
    """A page made from one of our templates, without characters that cannot be shown."""
    return _shown(_environment().get_template(template).render(**values))


def write_changes(
    grades: Grades, found: Sequence[Change], summaries: Sequence[LabSummary], out: Path
) -> Path:
    """Write the page of what a second grading changed. Returns its path."""
    template = _environment().get_template("changes.html.j2")
    text = template.render(grades=grades, changes=found, summaries=list(map(str, summaries)))
    store.write_text(out / "changes.html", _shown(text))
    return out / "changes.html"


def write_one(
    grades: Grades,
    student: Student,
    path: Path,
    pictures: Mapping[str, Sequence[LinePicture]] = _NO_PICTURES,
    subject: str = "",
) -> None:
    """Write one student's page to `path`, with pictures of recorded accesses by lab. `subject`: what commands
    on the page are about, if that is not a lab's own file: "NAME mine.cu".
    """
    meanings = metrics.meanings(metrics.table())
    text = _student_page(_environment(), grades, student, meanings, pictures, subject=subject)
    store.write_text(path, _shown(text))


def pages(grades: Grades) -> dict[str, str]:
    """All pages by path below the output folder."""
    pages = _ClassPages(grades)
    of_students = [pages.student_page(student) for student in grades.students]
    return dict((*pages.class_pages(), *of_students))


class _ClassPages:
    """Makes the pages of a class in one pass over its students; the pages about the whole class come last."""

    def __init__(self, grades: Grades, made: Collection[str] = ()) -> None:
        """`made`: pages of players that lie below the output folder."""
        self._grades, self._made = grades, made
        self.players: dict[tuple[str, str, int], str] = {}  # by student, lab and number of the finding
        self._environment = _environment()
        self._meanings = metrics.meanings(metrics.table())
        self._overview = class_overview.ClassOverviewBuilder(grades)
        gpu = _gpu(grades.setting.gpu_model)
        self._boards = gpu and leaderboard.BoardBuilder(grades, gpu, ladder_file.load(here(), gpu.name))

    def student_page(self, student: Student) -> tuple[str, str]:
        """Name and text of the student's page."""
        self._overview.add(student)
        if self._boards:
            self._boards.add(student)
        players = self._players(student)
        page = _student_page(self._environment, self._grades, student, self._meanings, players=players)
        return f"students/{student.id}.html", page

    def _players(self, student: Student) -> dict[tuple[str, int], str]:
        """By lab and number, the page on which one can step through a finding of the student."""
        found = {
            (lab.name, number): name
            for lab in self._grades.labs
            if self._made and (result := class_overview.result_of(student, lab.name)) is not None
            for number, name in playable.page_names(lab, result, student.id).items()
            if name in self._made
        }
        self.players |= {(student.id, *key): name for key, name in found.items()}
        return found

    def class_pages(self) -> Iterator[tuple[str, str]]:
        """Name and text of the overview and of each leaderboard, about the students added so far."""
        boards = tuple(self._boards.boards()) if self._boards else ()
        names = {board.lab.name: leaderboard.page_name(board.lab) for board in boards}
        overview = self._overview.overview()
        yield from self._overview_pages(overview, names)
        for board in boards:
            template = self._environment.get_template("leaderboard.html.j2")
            yield leaderboard.page_name(board.lab), template.render(grades=self._grades, board=board)

    def _overview_pages(
        self, overview: ClassOverview, boards: Mapping[str, str]
    ) -> Iterator[tuple[str, str]]:
        """index.html, and further pages where the table of points has many rows."""
        entries, grades = overview.entries, self._grades
        parts = [entries[start : start + ROWS] for start in range(0, len(entries), ROWS)] or [()]
        names = ["index.html", *(f"class-{number}.html" for number in range(2, len(parts) + 1))]
        pages = [(name, part[0] if part else None) for name, part in zip(names, parts, strict=True)]
        template = self._environment.get_template("class.html.j2")
        yield (
            names[0],
            template.render(
                grades=grades,
                overview=overview,
                leaderboards=boards,
                first=parts[0],
                pages=pages,
                players=self.players,
            ),
        )
        at_risk = {student.id: student for student in overview.at_risk}
        template = self._environment.get_template("class_rows.html.j2")
        for number, part in enumerate(parts[1:], 2):
            listed = [at_risk[entry.id] for entry in part if entry.id in at_risk]
            text = template.render(
                grades=grades, entries=part, at_risk_here=listed, number=number, pages=pages
            )
            yield names[number - 1], text


def _student_page(
    environment: jinja2.Environment,
    grades: Grades,
    student: Student,
    meanings: dict[str, str],
    pictures: Mapping[str, Sequence[LinePicture]] = _NO_PICTURES,
    players: Mapping[tuple[str, int], str] = _NO_PLAYERS,
    subject: str = "",
) -> str:
    gpu = _gpu(grades.setting.gpu_model)
    pairs = [
        (lab, result)
        for lab in grades.labs
        if (result := class_overview.result_of(student, lab.name)) is not None
    ]
    labs = [student_lab.lab_feedback(lab, result, meanings, gpu) for lab, result in pairs]
    template = environment.get_template("student.html.j2")
    bars = roofline.lab_bars(pairs)
    attempts = attempts_of(student)
    return template.render(
        grades=grades,
        student=student,
        labs=labs,
        lab_bars=bars,
        pictures=pictures,
        attempts=attempts,
        players=players,
        subject=subject,
    )


@functools.cache
def _gpu(model: str) -> spec.GpuSpec | None:
    """The GPU that the times are for. None for an unknown model: then a page has no roofline."""
    try:
        return spec.load(here(), model)
    except WarpgradeError:
        return None


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    environment.filters.update(
        points=formatting.points,
        signed=formatting.signed,
        count=formatting.count,
        ratio=formatting.ratio,
        ms=formatting.milliseconds,
        size=formatting.size,
        base_name=formatting.base_name,
    )
    environment.globals.update(inline=_inline, amount=formatting.amount, play=playable.command)
    return environment


def _inline(name: str) -> Markup:
    """One of our stylesheets or scripts, to be included in a page unescaped."""
    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))
