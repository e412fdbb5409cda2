"""Prints self-contained HTML pages to tagged PDF files with headless Chromium."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from pathlib import Path

from ..core import store
from ..core.errors import GraderError
from ..core.paths import typed
from ..sandbox import process

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL_COMMAND = "sudo apt-get install chromium"
_LIMITS = process.ResourceLimits(seconds=120, address_bytes=None, processes=4096, drain=True)
_MARK = re.compile(rb"\n% warpgrade ([0-9a-f]{64})\n")


def browser() -> str | None:
    """Chromium's path, or None if it is not installed."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def need_browser() -> str:
    """Chromium's path. GraderError, with the command that installs it, if it is missing."""
    found = browser()
    if found is None:
        raise GraderError("Chromium is missing; it makes the PDF files", remedy=INSTALL_COMMAND)
    return found


def to_pdf(page: Path, pdf: Path, chromium: str) -> bool:
    """Print `page` to `pdf`. Returns False if `pdf` was already made from the same page.

    GraderError if Chromium fails.
    """
    digest = hashlib.sha256(page.read_bytes()).hexdigest().encode()
    if pdf.is_file() and (mark := _MARK.search(pdf.read_bytes()[-256:])) and mark[1] == digest:
        return False
    with tempfile.TemporaryDirectory(prefix="warpgrade-pdf-") as folder:
        made = Path(folder) / "page.pdf"
        outcome = process.run_trusted(_command(chromium, page, made, Path(folder)), {"HOME": folder}, _LIMITS)
        if not made.is_file():
            words = outcome.stderr.strip().splitlines()[-1:] or [f"exit code {outcome.status}"]
            raise GraderError(
                f"{chromium} printed nothing: {words[0]}",
                file=page,
                remedy=f"{typed('handouts --no-pdf')} to do without PDF",
            )
        # A comment after the end of the file identifies the page; PDF readers ignore it.
        store.write_bytes(pdf, made.read_bytes() + b"\n% warpgrade " + digest + b"\n")
    return True


def _command(chromium: str, page: Path, pdf: Path, folder: Path) -> list[str]:
    command = [chromium, "--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder}/profile"]
    if os.geteuid() == 0:
        command.append("--no-sandbox")  # Chromium refuses to start as root otherwise; the page is our own
    command += ["--no-pdf-header-footer", "--generate-pdf-document-outline", f"--print-to-pdf={pdf}"]
    return [*command, page.resolve().as_uri()]
