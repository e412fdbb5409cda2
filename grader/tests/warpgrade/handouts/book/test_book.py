"""The course book of two labs in German, printed once: contents, numbers and index name the right pages."""

from __future__ import annotations

import io
import itertools
import re
import shutil
from pathlib import Path

import pytest
from markupsafe import Markup

from support.borrowed_tools import ROOT, lend_tools
from support.pages import browser
from warpgrade.core import messages
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.handouts import course as course_facts
from warpgrade.handouts import pages
from warpgrade.handouts.book import book, chapters, terms
from warpgrade.handouts.book.terms import Entry, Term, Use
from warpgrade.handouts.pages import Edition
from warpgrade.handouts.printing import page_references

LABS = [item.name for item in lab.find(Repository(ROOT))][1:3]
WORDS = messages.load(ROOT, "de")


def entry(*uses: tuple[str, bool]) -> Entry:
    return Entry(Term("bank", Markup("bank"), False), tuple(Use(id, explains) for id, explains in uses))


@pytest.mark.parametrize(
    ("uses", "pages_of", "shown"),
    [
        ((("a", True), ("b", False)), {"a": 9, "b": 4}, "b a!"),
        ((("a", False), ("b", True)), {"a": 5, "b": 5}, "b!"),
        ((("a", False), ("b", False), ("c", False)), {"a": 5, "b": 6, "c": 7}, "a–c"),
        ((("a", False), ("b", False)), {"a": 5, "b": 6}, "a b"),
        ((("a", False), ("b", True), ("c", False)), {"a": 5, "b": 6, "c": 7}, "a b! c"),
        ((("a", False), ("b", False)), {}, "a b"),
    ],
)
def test_pages_of_an_entry(uses: tuple[tuple[str, bool], ...], pages_of: dict[str, int], shown: str) -> None:
    text = re.sub(r'<a href="#(\w)" class="explains">.*?</a>', r"\1!", book.places(entry(*uses), pages_of))
    assert re.sub(r'<a href="#(\w)">.*?</a>', r"\1", text).replace(", ", " ") == shown


def test_entries_stand_under_their_letters() -> None:
    _, entries = terms.indexed(["<dfn>Bank</dfn> <dfn>Block</dfn> <code>__shared__</code>"], [])
    letters = book.by_letter(entries)
    assert [(letter, len(list(found))) for letter, found in letters] == [("B", 2), ("S", 1)]


# --- a printed book ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("course")
    for folder in ("labs", "solutions", "handouts"):
        shutil.copytree(ROOT / folder, root / folder)
    lend_tools(root)
    (root / "grader").mkdir()
    (root / "grader" / "gpus").symlink_to(ROOT / "grader" / "gpus")
    settings = root / "handouts" / "course.toml"
    settings.write_text(f"labs = {LABS!r}\n{settings.read_text(encoding='utf-8')}".replace("'", '"'))
    return root


@pytest.fixture(scope="module")
def printed(course: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    """The text of each page, and the file."""
    from pypdf import PdfReader

    out = tmp_path_factory.mktemp("book")
    pages.make(course, out, language="de", editions=(Edition.STUDENT,), books=(Edition.STUDENT,))
    file = out / "student" / book.FILE
    reader = PdfReader(io.BytesIO(file.read_bytes()))
    return [_plain(page.extract_text()) for page in reader.pages], file


def targets(file: Path) -> dict[str, int]:
    """The page of each link's target, from 0."""
    return {id: page - 1 for id, page in page_references.destinations(file.read_bytes()).items()}


def _plain(text: str) -> str:
    """Letters and digits alone: prints break lines and pair letters in their own way."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


@pytest.fixture(scope="module")
def bound(course: Path) -> book.Book:
    handouts = pages.handouts(Repository(course), Edition.STUDENT, "", "de")
    return book.bind([pages._source(page) for page in handouts], WORDS)


def _html(text: str) -> str:
    return _plain(Markup(text).striptags())


@browser.needs_chromium
def test_contents_name_the_page_of_each_heading(printed: tuple[list[str], Path], bound: book.Book) -> None:
    texts, file = printed
    found = targets(file)
    contents = "".join(texts[1:3])
    assert [chapter.source.name for chapter in bound.chapters] == LABS
    for chapter in bound.chapters:
        page = found[chapter.id]
        assert _html(chapter.source.title) in texts[page]
        assert f"{chapter.number}{_html(chapter.source.title)}{page + 1}" in contents
        for section in chapter.sections:
            page = found[section.id]
            assert _plain(section.number) + _html(section.title) in texts[page]
            assert f"{_plain(section.number)}{_html(section.title)}{page + 1}" in contents


@browser.needs_chromium
def test_the_index_names_pages_that_hold_the_term(printed: tuple[list[str], Path], bound: book.Book) -> None:
    texts, file = printed
    found = targets(file)
    whole = "".join(Markup(html) for chapter in bound.chapters for html, _ in chapter.texts)
    words = dict(re.findall(r'id="(index-\d+)"[^>]*>(.*?)</(?:span|dfn)>', whole, re.DOTALL))
    assert len(bound.index) >= 12
    index = texts[found["index"] :]
    for entry in bound.index:
        at = {found[use.id] for use in entry.uses if use.id in found}
        assert at and _html(entry.term.text) in "".join(index)
        for use in entry.uses:
            if use.id in found:
                assert _html(words[use.id]) in texts[found[use.id]]
        # Places that share a page are named once, by one of their links.
        assert len(at) == sum(use.id in found for use in entry.uses)


@browser.needs_chromium
def test_figures_and_tables_are_numbered_by_chapter(
    printed: tuple[list[str], Path], bound: book.Book
) -> None:
    text = "".join(printed[0])
    for chapter in bound.chapters:
        for kind, counted in (("figure", chapter.figures), ("table", chapter.tables)):
            labels = [_plain(f"{WORDS(f'layout.{kind}')}{each.number}") for each in counted]
            begins = [_html(each.title)[:12] for each in counted]
            at = [text.find(label + begin) for label, begin in zip(labels, begins, strict=True)]
            assert -1 not in at and all(a < b for a, b in itertools.pairwise(at)), chapter.number


@browser.needs_chromium
def test_the_file_has_title_language_and_bookmarks(printed: tuple[list[str], Path], bound: book.Book) -> None:
    from pypdf import PdfReader

    reader = PdfReader(printed[1])
    assert reader.metadata is not None
    assert reader.metadata.title == course_facts.load(ROOT).title
    assert reader.root_object["/Lang"] == "de"
    marks = [_plain(mark.title) for mark in reader.outline if not isinstance(mark, list)]
    chapters_of = [_plain(f"{each.number}{each.source.title}") for each in bound.chapters]
    assert [mark for mark in marks if mark in chapters_of] == chapters_of
    assert _plain(WORDS("book.index")) in marks


@browser.needs_chromium
def test_a_book_is_not_printed_again(course: Path, printed: tuple[list[str], Path]) -> None:
    new: list[Path] = []
    before = printed[1].read_bytes()
    pages.make(
        course, printed[1].parents[1], language="de", editions=(Edition.STUDENT,), books=(Edition.STUDENT,),
        report=new.append,
    )  # fmt: skip
    assert printed[1] not in new and printed[1].read_bytes() == before
    assert "book.pdf" in (printed[1].parent / "index.html").read_text(encoding="utf-8")


def test_a_lab_that_the_book_lacks_has_no_chapter(bound: book.Book) -> None:
    assert bound.numbered(LABS[0]) == bound.chapters[0].number
    assert bound.see("99-nowhere", WORDS) == "<code>99-nowhere</code>"
    assert chapters.chapter_id(LABS[0]) in bound.see(LABS[0], WORDS)
