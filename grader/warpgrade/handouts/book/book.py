"""The course book: all handouts of one edition as one PDF, with contents, numbers and an index of terms.

Pages are numbered from the title page, so that the number on paper is that of the PDF reader. Chromium makes
bookmarks from the headings.
"""

from __future__ import annotations

import hashlib
import itertools
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markupsafe import Markup

from ...core import store
from ...core.messages import Messages
from ..printing.chromium import Chromium
from ..printing.page_references import page_of, see_page, settled
from ..printing.pdf import is_of, marked
from . import chapters, terms
from .chapters import Chapter, ChapterSource
from .terms import Entry

TEMPLATE = "book.html.j2"
FILE = "book.pdf"


@dataclass(frozen=True)
class Book:
    chapters: tuple[Chapter, ...]
    index: tuple[Entry, ...]

    def numbered(self, name: str) -> str:
        """The number of the chapter of that lab; its name if the book lacks it."""
        return next((each.number for each in self.chapters if each.source.name == name), name)

    def id(self, name: str) -> str:
        return chapters.chapter_id(name)

    def see(self, name: str, words: Messages) -> Markup:
        """A chapter's number with a link and its page; the name of a lab that the book lacks."""
        if all(each.source.name != name for each in self.chapters):
            return Markup("<code>{}</code>").format(name)
        return Markup("{} ({})").format(self.numbered(name), see_page(self.id(name), words))


def bind(sources: Sequence[ChapterSource], words: Messages) -> Book:
    """Chapters in their order, and the index of all."""
    made = chapters.number(sources, words)
    texts = [text for chapter in made for text, _ in chapter.texts]
    found, index = terms.indexed(texts, words("book.endings").split())
    left = iter(found)
    bound = tuple(
        replace(chapter, texts=tuple((next(left), code) for _, code in chapter.texts)) for chapter in made
    )
    return Book(bound, index)


def write(html: Callable[[Mapping[str, int]], str], pdf: Path, chromium: Chromium) -> bool:
    """Print the book that `html` makes with the pages that are known. Returns False if `pdf` was
    already made from the same text. GraderError if Chromium fails or pages do not settle.
    """
    digest = hashlib.sha256(html({}).encode()).hexdigest()
    if is_of(pdf, digest):
        return False
    with tempfile.TemporaryDirectory(prefix="warpgrade-book-") as folder:
        page = Path(folder) / "book.html"

        def print_pdf(text: str) -> bytes:
            store.write_text(page, text)
            return chromium.printed(page)

        store.write_bytes(pdf, marked(settled(html, print_pdf), digest))
    return True


# --- the index ---------------------------------------------------------------------------------


def by_letter(index: Iterable[Entry]) -> list[tuple[str, list[Entry]]]:
    """The entries under their first letters."""

    def first(entry: Entry) -> str:
        return terms.sort_key(entry)[0][:1].upper()

    return [(letter, list(entries)) for letter, entries in itertools.groupby(index, first)]


def places(entry: Entry, pages: Mapping[str, int]) -> Markup:
    """The pages of a term, each once and linked, those that explain it in bold; neighbours as a range."""
    kept: list[tuple[int, bool, str]] = []
    for use in sorted(entry.uses, key=lambda use: (pages.get(use.id, 0), not use.explains)):
        page = pages.get(use.id, 0)
        if not (kept and page and kept[-1][0] == page):
            kept.append((page, use.explains, use.id))
    return Markup(", ").join(_range(run) for run in _runs(kept))


def _runs(kept: Sequence[tuple[int, bool, str]]) -> list[list[tuple[int, bool, str]]]:
    """Groups of pages that follow each other. A page that explains the term stands alone."""
    runs: list[list[tuple[int, bool, str]]] = []
    for each in kept:
        last = runs[-1][-1] if runs else None
        if last and last[0] and last[0] + 1 == each[0] and not (last[1] or each[1]):
            runs[-1].append(each)
        else:
            runs.append([each])
    return runs


def _range(run: Sequence[tuple[int, bool, str]]) -> Markup:
    ends = run if len(run) < 3 else (run[0], run[-1])
    between = ", " if len(run) < 3 else "–"
    return Markup(between).join(
        Markup('<a href="#{}"{}>{}</a>').format(
            id, Markup(' class="explains"') if explains else "", page_of(id)
        )
        for _, explains, id in ends
    )
