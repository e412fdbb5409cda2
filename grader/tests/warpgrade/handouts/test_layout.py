"""The layout of handouts: paper holds a figure once, numbered; no height is fixed, and no clue is hidden."""

import re
from pathlib import Path

import jinja2
import pytest

from support.pages import browser
from warpgrade.core import messages
from warpgrade.core.paths import here
from warpgrade.handouts import template_names

FOLDER = here().root / "handouts"
CSS = (FOLDER / "handout.css").read_text(encoding="utf-8")
LANGUAGES = sorted(path.stem for path in (FOLDER / "languages").glob("*.toml"))
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


def rules(css: str) -> dict[str, str]:
    """Declarations by selector, those of a selector that occurs again after the earlier ones."""
    found: dict[str, str] = {}
    for selectors, declarations in RULE.findall(re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)):
        for selector in selectors.split(","):
            key = " ".join(selector.split())
            found[key] = f"{found.get(key, '')} {' '.join(declarations.split())}".strip()
    return found


SCREEN, PRINT = (rules(part) for part in CSS.split("@media print {"))


def test_table_twins_are_for_the_screen() -> None:
    assert "display: none" in PRINT["figure > details"] and "figure > details" not in SCREEN


def test_tables_with_captions_are_numbered() -> None:
    assert "counter-increment: table" in SCREEN["caption.numbered"]
    assert "var(--table)" in SCREEN["caption.numbered::before"]


def test_figures_are_numbered() -> None:
    assert "counter-increment: figure" in SCREEN["figure"]
    assert "counter-reset: figure table" in SCREEN["body"]
    assert (
        "var(--figure)" in SCREEN["figcaption::before"] and "counter(figure)" in SCREEN["figcaption::before"]
    )


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_language_has_a_word_for_them(code: str) -> None:
    layout = (FOLDER / "layout.html.j2").read_text(encoding="utf-8")
    (line,) = [line for line in layout.splitlines() if "--figure:" in line]
    words = messages.load(here().root, code)
    text = jinja2.Template(line).render(t=words)
    assert re.search(r'--figure: "\w+"; --table: "\w+"', text)


def test_no_height_is_fixed() -> None:
    for selector, declarations in (*SCREEN.items(), *PRINT.items()):
        assert not re.search(r"(?<![-\w])height:\s*[\d.]+(?!%)", declarations), selector


def test_only_what_is_small_stays_on_one_page() -> None:
    kept = {selector for selector, found in PRINT.items() if "break-inside: avoid" in found}
    tables = re.compile(r"main \.scroll:not\(:has\(tr:nth-child\((\d+)\)\)\)")
    rows = [int(match[1]) for selector in kept if (match := tables.fullmatch(selector))]
    assert len(rows) == 1 and rows[0] <= 10, "a kept table takes at most a quarter of a page"
    parts = {"caption", "thead", "tr"}
    assert {each for each in kept if not tables.fullmatch(each)} == {
        "figure",
        ".answer",
        "main .text pre.short",  # at most 12 lines of code
        "blockquote",
        *parts,
    }
    assert "max-height" in PRINT["figure svg"], "a kept figure takes at most a third of a page"


def test_headings_and_captions_stay_with_what_follows() -> None:
    for selector in (
        "h1",
        "h2",
        "h3",
        "caption",
        "thead",
        "p:has(+ figure)",
        "p:has(+ .scroll)",
        "p:has(+ pre)",
        "p:has(+ .answer)",
    ):
        assert re.findall(r"break-after: (\w+)", PRINT[selector]) == ["avoid"], selector


def test_no_line_of_code_is_cut_off_on_paper() -> None:
    assert "white-space: pre-wrap" in PRINT["main .text pre"]


def test_short_code_is_not_cut_in_two_and_long_lines_hang() -> None:
    assert re.findall(r"(?:orphans|widows): (\d)", PRINT["main .text pre"]) == ["5", "5"]
    assert "text-indent: calc(-1 * var(--hang))" in PRINT["pre .long"] and "pre .long" not in SCREEN


def test_no_row_of_a_table_stands_alone_on_a_page() -> None:
    assert PRINT["tbody tr:first-child"] == "break-after: avoid;"
    assert PRINT["tbody tr:last-child"] == "break-before: avoid;"


def test_a_macro_that_goes_on_needs_no_wide_lines() -> None:
    code = "#define CHECK(call)" + 80 * " " + "\\\n  call" + 93 * " " + "\\\n  done\n"
    assert template_names.fenced("a.cu", code) == "```cuda\n#define CHECK(call) \\\n  call \\\n  done\n```\n"


def test_code_on_paper_is_read_without_a_glass() -> None:
    (size,) = re.findall(r"font-size: ([\d.]+)pt", PRINT["main .text pre"])
    assert float(size) >= 8.5 and "font-size: inherit" in PRINT["pre code"]


@browser.needs_chromium
def test_what_a_report_says_wraps_on_a_phone(tmp_path: Path) -> None:
    base = (FOLDER.parent / "grader/warpgrade/report/templates/base.css").read_text(encoding="utf-8")
    clue = "C[0][32] should be 1 but was never written; all of them lie in the last, partial column. " * 3
    page = (
        f"<!doctype html><html><head><style>{base}{CSS}</style></head><body><main><div class='text'>"
        f"<pre><code class='language-text'>{clue}</code></pre></div></main></body></html>"
    )
    hidden = "(e => e.scrollWidth - e.clientWidth)(document.querySelector('pre'))"
    assert browser.ask(page, hidden, 360, tmp_path) <= 0
