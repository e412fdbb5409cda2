from __future__ import annotations

import re
from dataclasses import replace

import pytest
from markupsafe import Markup

from support import sample
from support.pages import rendered
from warpgrade.core import messages
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.handouts import pages
from warpgrade.handouts.book import chapters
from warpgrade.handouts.book.chapters import Chapter, ChapterSource
from warpgrade.handouts.pages import Edition

ENGLISH, GERMAN = (messages.load(here().root, code) for code in ("en", "de"))
LAB = lab.find(here())[0]


def source(name: str, html: str, week: int = 1) -> ChapterSource:
    """A chapter of a lab in that week; of no lab in week 0."""
    item = replace(LAB, name=name, syllabus=replace(LAB.syllabus, week=week)) if week else None
    return ChapterSource(name, name.title(), item, ((Markup(html), ENGLISH),))


def number(*sources: ChapterSource) -> list[Chapter]:
    return list(chapters.number(sources, ENGLISH))


WHOLE = [
    pytest.param((code, edition), id=f"{code}-{edition.value}")
    for code in ("en", "de")
    for edition in Edition
]


@pytest.fixture(scope="module", params=sample.sampled(WHOLE, one_in=6))
def whole(request: pytest.FixtureRequest) -> tuple[Chapter, ...]:
    """The chapters of all handouts, in each language and edition."""
    code, edition = request.param
    words = messages.load(here().root, code)
    made = rendered.handouts(here(), edition, "", "" if code == "en" else code)
    return chapters.number([pages._source(page) for page in made], words)


def test_numbers_are_continuous(whole: tuple[Chapter, ...]) -> None:
    assert len({chapter.number for chapter in whole}) == len(whole)
    for chapter in whole:
        text = "".join(html for html, _ in chapter.texts)
        for found in (chapter.sections, chapter.figures, chapter.tables):
            assert [each.number for each in found] == [
                f"{chapter.number}.{at}" for at in range(1, len(found) + 1)
            ]
        assert len(chapter.sections) == text.count("<h2")
        assert len(chapter.figures) == text.count("<figcaption")
        assert len(chapter.tables) == text.count("<table>")
    assert sum(len(chapter.sections) for chapter in whole) >= 2 * len(whole)


def test_ids_are_unique_and_links_arrive(whole: tuple[Chapter, ...]) -> None:
    text = "".join(html for chapter in whole for html, _ in chapter.texts)
    ids = re.findall(r'\bid="([^"]+)"', text) + [chapter.id for chapter in whole]
    assert len(ids) == len(set(ids))
    used = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text)
    used += [(id, "") for ids in re.findall(r'aria-labelledby="([^"]+)"', text) for id in ids.split()]
    assert used and {a or b for a, b in used} <= set(ids)
    assert not re.search(r'href="(?!#)', text) and "<iframe" not in text and "<details" not in text


def test_a_chapter_has_the_number_of_its_lab_in_the_order_of_weeks() -> None:
    made = number(source("07-later", "", 3), source("12-first", "", 1), source("02-next", "", 2))
    assert [chapter.number for chapter in made] == ["12", "2", "7"]


def test_pages_of_no_lab_are_appendices() -> None:
    made = number(source("30-text", "", 0), source("03-lab", ""), source("another", "", 0), source("own", ""))
    assert [(each.number, each.source.name) for each in made] == [
        ("3", "03-lab"), ("A", "own"), ("B", "30-text"), ("C", "another"),
    ]  # fmt: skip


def test_a_link_to_another_handout_names_the_page_of_its_chapter() -> None:
    link = '<p>As in <a href="02-b.html">lab 02</a>.</p>'
    first, _ = number(source("01-a", link), source("02-b", ""))
    text = first.texts[0][0]
    assert '<a href="#chapter-02-b">lab 02</a> (' in text and "⟦chapter-02-b⟧" in text
    (alone,) = number(source("01-a", link))
    assert alone.texts[0][0] == "<p>As in lab 02.</p>"


def test_what_every_handout_repeats_stands_in_the_book_once() -> None:
    same = '<section class="same-everywhere"><p>Commands.</p></section>'
    first, second = number(source("01-a", same), source("02-b", same))
    assert "Commands." in first.texts[0][0]
    text = second.texts[0][0]
    assert "Commands." not in text and "⟦01-a--same-everywhere⟧" in text
    assert f"{LAB.limits.steps:,}" in text
