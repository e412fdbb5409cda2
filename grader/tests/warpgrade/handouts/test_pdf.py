from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from support import browser
from warpgrade.core.errors import GraderError
from warpgrade.handouts import pdf as printing

PAGE = (
    '<!doctype html><html lang="en"><head><title>A page</title></head><body><h1>H</h1><p>{}</p></body></html>'
)


@browser.needs_chromium
def test_a_page_becomes_a_tagged_pdf_and_is_not_printed_twice(tmp_path: Path) -> None:
    page, pdf = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(PAGE.format("text"))
    chromium = printing.need_browser()
    assert printing.to_pdf(page, pdf, chromium)
    made = pdf.read_bytes()
    assert made.startswith(b"%PDF-") and b"/MarkInfo" in made and b"/StructTreeRoot" in made
    assert b"/Lang" in made
    assert not printing.to_pdf(page, pdf, chromium)
    page.write_text(PAGE.format("other text"))
    assert printing.to_pdf(page, pdf, chromium)


@browser.needs_chromium
def test_readers_take_it(tmp_path: Path) -> None:
    page, pdf = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(PAGE.format("text"))
    printing.to_pdf(page, pdf, printing.need_browser())
    try:
        info = subprocess.run(["pdfinfo", str(pdf)], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        pytest.skip("needs pdfinfo: apt-get install poppler-utils")
    assert re.search(r"Tagged:\s+yes", info.stdout) and re.search(r"Title:\s+A page", info.stdout)


def test_without_chromium_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert printing.browser() is None
    with pytest.raises(GraderError) as caught:
        printing.need_browser()
    assert caught.value.remedy == printing.INSTALL_COMMAND


def test_a_browser_that_prints_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    with pytest.raises(GraderError, match="printed nothing"):
        printing.to_pdf(tmp_path / "page.html", tmp_path / "page.pdf", "/bin/true")
    assert not (tmp_path / "page.pdf").exists()
