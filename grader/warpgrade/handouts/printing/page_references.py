"""Numbers of pages in a text that is printed: unknown until it is printed, so it is printed twice.

CSS names the page of a link's target with `target-counter`, which Chromium does not know (CSS Generated
Content for Paged Media, section 2.5). A mark stands for each number, and the first print tells which
page each link leads to.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping

from markupsafe import Markup

from ...core.errors import GraderError
from ...core.messages import Messages
from ...core.paths import typed

INSTALL_COMMAND = "make setup-dev"
_MARK = re.compile("\u27e6([^\u27e7]+)\u27e7")  # ⟦id⟧, which occurs in no text
_UNKNOWN = "00"  # as wide as most numbers, so that the second print has the same lines
_PRINTS = 4


def page_of(id: str) -> Markup:
    """A mark for the number of the page that has the element `id`, which something must link to."""
    return Markup("\u27e6{}\u27e7").format(id)


def see_page(id: str, words: Messages) -> Markup:
    return Markup('<a class="see" href="#{}">{}</a>').format(id, words("book.page", page=page_of(id)))


def fill(html: str, pages: Mapping[str, int]) -> str:
    """The text with numbers in place of marks; with zeros where `pages` does not know one."""
    return _MARK.sub(lambda match: str(pages.get(match[1], _UNKNOWN)), html)


def settled(write: Callable[[Mapping[str, int]], str], print_pdf: Callable[[str], bytes]) -> bytes:
    """The PDF whose numbers are those of its own pages.

    `write` makes the text with marks, for the pages that are known so far; `print_pdf` prints it filled in. A
    number that is wider than its placeholder may move a line to another page, so it is printed until two
    prints agree. GraderError if they do not after four.
    """
    known: dict[str, int] = {}
    for _ in range(_PRINTS):
        text = write(known)
        pdf = print_pdf(fill(text, known))
        found = destinations(pdf)
        if missing := sorted(set(_MARK.findall(text)) - found.keys()):
            raise GraderError(
                f"no link of the book leads to {missing[0]!r}, whose page it names", remedy=_remedy()
            )
        moved = sorted(id for id, page in found.items() if known.get(id) != page)
        if not moved:
            return pdf
        known |= found
    raise GraderError(
        f"pages of {len(moved)} links, {moved[0]!r} among them, still change after {_PRINTS} prints",
        remedy=_remedy(),
    )


def _remedy() -> str:
    return f"report this; to make a PDF of each page instead, {typed('handouts --pdf')}"


def destinations(pdf: bytes) -> dict[str, int]:
    """The number of the page, from 1, to which each link within the document leads."""
    try:
        from pypdf import PdfReader
    except ImportError:
        raise GraderError(
            "the Python package pypdf is missing; it finds the pages for contents and index of the book",
            remedy=INSTALL_COMMAND,
        ) from None
    reader = PdfReader(io.BytesIO(pdf))
    found = {}
    for name, destination in reader.named_destinations.items():
        page = reader.get_destination_page_number(destination)
        if page is not None and page >= 0:
            found[name.removeprefix("/")] = page + 1
    return found
