"""PDF files of self-contained HTML pages, made again only where a page has changed."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ...core import store
from .chromium import Chromium

_MARK = re.compile(rb"\n% warpgrade ([0-9a-f]{64})\n")


def to_pdf(page: Path, pdf: Path, chromium: Chromium) -> bool:
    """Print `page` to `pdf`. Returns False if `pdf` was already made from the same page.

    GraderError if Chromium fails.
    """
    digest = hashlib.sha256(page.read_bytes()).hexdigest()
    if is_of(pdf, digest):
        return False
    store.write_bytes(pdf, marked(chromium.printed(page), digest))
    return True


def is_of(pdf: Path, digest: str) -> bool:
    """Whether the file was made from the text with that SHA-256."""
    mark = _MARK.search(pdf.read_bytes()[-256:]) if pdf.is_file() else None
    return mark is not None and mark[1].decode() == digest


def marked(pdf: bytes, digest: str) -> bytes:
    """The PDF with a comment after its end that names the text that it was made from; readers ignore it."""
    return pdf + b"\n% warpgrade " + digest.encode() + b"\n"
