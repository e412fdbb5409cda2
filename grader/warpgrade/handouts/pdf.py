"""PDF files of self-contained HTML pages, made again only where a page has changed."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ..core import store
from .chromium import Chromium

_MARK = re.compile(rb"\n% warpgrade ([0-9a-f]{64})\n")


def to_pdf(page: Path, pdf: Path, chromium: Chromium) -> bool:
    """Print `page` to `pdf`. Returns False if `pdf` was already made from the same page.

    GraderError if Chromium fails.
    """
    digest = hashlib.sha256(page.read_bytes()).hexdigest().encode()
    if pdf.is_file() and (mark := _MARK.search(pdf.read_bytes()[-256:])) and mark[1] == digest:
        return False
    # A comment after the end of the file identifies the page; PDF readers ignore it.
    store.write_bytes(pdf, chromium.printed(page) + b"\n% warpgrade " + digest + b"\n")
    return True
