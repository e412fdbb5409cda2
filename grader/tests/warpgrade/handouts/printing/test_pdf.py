from __future__ import annotations

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.pages import browser
from warpgrade.core.errors import GraderError
from warpgrade.handouts.printing import pdf as printing
from warpgrade.handouts.printing.chromium import INSTALL_COMMAND, Chromium, Chromiums, need_browser
from warpgrade.handouts.printing.chromium import browser as browser_path

PAGE = (
    '<!doctype html><html lang="en"><head><title>A page</title></head><body><h1>H</h1><p>{}</p></body></html>'
)


@browser.needs_chromium
def test_a_page_becomes_a_tagged_pdf_and_is_not_printed_twice(tmp_path: Path) -> None:
    page, pdf = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(PAGE.format("text"))
    with Chromium(need_browser()) as chromium:
        assert printing.to_pdf(page, pdf, chromium)
        made = pdf.read_bytes()
        assert made.startswith(b"%PDF-") and b"/MarkInfo" in made and b"/StructTreeRoot" in made
        assert b"/Lang" in made
        assert not printing.to_pdf(page, pdf, chromium)
        page.write_text(PAGE.format("other text"))
        assert printing.to_pdf(page, pdf, chromium)
        try:
            info = subprocess.run(["pdfinfo", str(pdf)], capture_output=True, text=True, check=True)
        except FileNotFoundError:
            pytest.skip("needs pdfinfo: apt-get install poppler-utils")
    assert re.search(r"Tagged:\s+yes", info.stdout) and re.search(r"Title:\s+A page", info.stdout)


@browser.needs_chromium
def test_one_browser_prints_each_page_as_it_is(tmp_path: Path) -> None:
    with Chromium(need_browser()) as chromium:
        for title in ("first", "second"):
            (tmp_path / "page.html").write_text(PAGE.replace("A page", title))
            assert f"/Title ({title})".encode() in chromium.printed(tmp_path / "page.html")


@browser.needs_chromium
def test_several_browsers_print_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)

    def printed(title: str) -> bytes:
        page = tmp_path / f"{title}.html"
        page.write_text(PAGE.replace("A page", title))
        with browsers.one() as chromium:
            return chromium.printed(page)

    titles = ["first", "second", "third"]
    with Chromiums(need_browser()) as browsers, ThreadPoolExecutor(browsers.count) as pool:
        assert browsers.count == 2
        for title, made in zip(titles, pool.map(printed, titles), strict=True):
            assert f"/Title ({title})".encode() in made


def test_without_chromium_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert browser_path() is None
    with pytest.raises(GraderError) as caught:
        need_browser()
    assert caught.value.remedy == INSTALL_COMMAND


@pytest.mark.parametrize("program", ["/bin/true", "/nowhere/chromium"])
def test_a_browser_that_prints_nothing_is_an_error(tmp_path: Path, program: str) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    with Chromium(program) as chromium, pytest.raises(GraderError, match="printed nothing"):
        printing.to_pdf(tmp_path / "page.html", tmp_path / "page.pdf", chromium)
    assert not (tmp_path / "page.pdf").exists()
