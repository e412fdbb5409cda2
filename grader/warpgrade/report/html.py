"""Grades as web pages: index.html for the class, students/<id>.html for each student.

Each page is one file without network, made from records alone, so that a report can be made
again with neither compiler nor GPU. Everything a student wrote reaches a template as text and
is escaped there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup

from ..core import formatting, store
from ..core.errors import WarpgradeError
from ..core.paths import here
from ..feedback import class_overview, leaderboard, metrics, roofline, student_lab
from ..gpu import ladder_file, spec
from ..records import Grades, Student

if TYPE_CHECKING:
    from ..drawing.source_lines import LinePicture

Whole = Callable[[Student], Student]
_NO_PICTURES: Mapping[str, Sequence[LinePicture]] = MappingProxyType({})
TEMPLATES = Path(__file__).parent / "templates"
# Foreign text may hold what no page should: controls, marks that turn the order of letters, half characters.
_UNSHOWABLE = dict.fromkeys(
    (*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A),
     *range(0xD800, 0xE000)),
    "\N{REPLACEMENT CHARACTER}",
)  # fmt: skip


def render(grades: Grades, out: Path, whole: Whole = lambda student: student) -> list[Path]:
    """Write all pages under `out` and return their paths.

    `whole` gives a student with all that was saved, one at a time, where the grades are light.
    """
    written = []
    for name, text in _pages(grades, whole):
        store.write_text(out / name, text.translate(_UNSHOWABLE))
        written.append(out / name)
    # The folder may be published: pages of a class that was graded into it before must not go along.
    for page in (*(out / "students").glob("*.html"), *out.glob("leaderboard-*.html")):
        if page not in written:
            page.unlink()
    return written


def write_one(
    grades: Grades, student: Student, path: Path, pictures: Mapping[str, Sequence[LinePicture]] = _NO_PICTURES
) -> None:
    """One student's page alone, at `path`; with pictures of accesses, by lab, where they were recorded."""
    text = _student_page(_environment(), grades, student, metrics.meanings(metrics.table()), pictures)
    store.write_text(path, text.translate(_UNSHOWABLE))


def pages(grades: Grades) -> dict[str, str]:
    """All pages by path below the output folder."""
    return dict(_pages(grades, lambda student: student))


def _pages(grades: Grades, whole: Whole) -> Iterator[tuple[str, str]]:
    """One after another."""
    environment = _environment()
    ranked = tuple(_boards(grades, whole))
    yield "index.html", _class_page(environment, grades, ranked)
    for board in ranked:
        template = environment.get_template("leaderboard.html.j2")
        yield leaderboard.page_name(board.lab), template.render(grades=grades, board=board)
    meanings = metrics.meanings(metrics.table())
    for student in grades.students:
        yield f"students/{student.id}.html", _student_page(environment, grades, whole(student), meanings)


def _boards(grades: Grades, whole: Whole) -> Iterator[leaderboard.Board]:
    card = _card(grades.setting.gpu_model)
    if card is not None:
        yield from leaderboard.boards(grades, card, ladder_file.load(here(), card.name), whole)


def _class_page(environment: jinja2.Environment, grades: Grades, ranked: Sequence[leaderboard.Board]) -> str:
    template = environment.get_template("class.html.j2")
    pages = {board.lab.name: leaderboard.page_name(board.lab) for board in ranked}
    return template.render(grades=grades, overview=class_overview.overview(grades), leaderboards=pages)


def _student_page(
    environment: jinja2.Environment,
    grades: Grades,
    student: Student,
    meanings: dict[str, str],
    pictures: Mapping[str, Sequence[LinePicture]] = _NO_PICTURES,
) -> str:
    card = _card(grades.setting.gpu_model)
    pairs = [
        (lab, result)
        for lab in grades.labs
        if (result := class_overview.result_of(student, lab.name)) is not None
    ]
    labs = [student_lab.lab_feedback(lab, result, meanings, card) for lab, result in pairs]
    template = environment.get_template("student.html.j2")
    ladder = roofline.ladder(pairs)
    return template.render(grades=grades, student=student, labs=labs, ladder=ladder, pictures=pictures)


@functools.cache
def _card(model: str) -> spec.GpuSpec | None:
    """None where that GPU is not known here: then a page has no roofline."""
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
    environment.globals.update(inline=_inline, amount=formatting.amount)
    return environment


def _inline(name: str) -> Markup:
    """A stylesheet or script of ours, to stand inside a page as it is."""
    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))
