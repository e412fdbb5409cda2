"""The cell magic: a notebook is run without a browser, and its outputs are read."""

from __future__ import annotations

import html
import re
import warnings
from pathlib import Path

import nbformat
import pytest
from IPython.display import HTML
from nbclient import NotebookClient

from support.fake_repository import write
from warpgrade.cli import notebook
from warpgrade.core.paths import Repository, here

LAB = "01-basic"
needs_tools = pytest.mark.skipif(not here().emulator.exists(), reason="needs the emulator: make tools")


def outputs(*cells: str) -> list[str]:
    """What each cell shows, as HTML; empty where it shows nothing."""
    found = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(found, timeout=300, kernel_name="python3").execute()
    return [
        "".join(output["data"]["text/html"] for output in cell.outputs if "data" in output)
        for cell in found.cells
    ]


@needs_tools
def test_a_notebook_shows_the_report_of_each_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    root = here().root
    monkeypatch.setenv("PYTHONPATH", str(root / "grader"))
    monkeypatch.setenv("WARPGRADE_ROOT", str(root))
    kernel = (root / "solutions" / LAB / "kernel.cu").read_text(encoding="utf-8")
    loaded, right, broken, unknown = outputs(
        "%load_ext warpgrade",
        f"%%warpgrade {LAB}\n{kernel}",
        f"%%warpgrade {LAB}\nSYNTAX {kernel}",
        f"%%warpgrade no-such-lab\n{kernel}",
    )
    assert loaded == ""
    pages = [html.unescape(re.findall(r'srcdoc="([^"]*)"', shown)[0]) for shown in (right, broken)]
    assert all(page.lstrip().lower().startswith("<!doctype html>") and LAB in page for page in pages)
    assert pages[0] != pages[1] and "SYNTAX" in pages[1]
    assert "no-such-lab" in unknown and "<iframe" not in unknown


SCRIPT = """#!/bin/sh
cp "$3" "$(dirname "$0")/seen.cu"
echo "$@" >"$(dirname "$0")/words"
while [ $# -gt 1 ]; do [ "$1" != --html ] || printf '<p id="a">%s</p>' "$CODE" >"$2"; shift; done
exit $CODE
"""


@pytest.mark.parametrize(("code", "shown"), [("0", True), ("1", True), ("2", False), ("4", False)])
def test_a_page_is_shown_where_the_kernel_was_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, shown: bool
) -> None:
    write(tmp_path / "warpgrade", SCRIPT).chmod(0o755)
    monkeypatch.setenv("CODE", code)
    text = notebook.report(Repository(tmp_path), "02 --gpu t4", "// <mine>\n")
    assert ("<iframe" in text) is shown
    assert ("&lt;p id=&quot;a&quot;&gt;" in text) is shown, "escaped, as an attribute needs it"
    assert (tmp_path / "seen.cu").read_text() == "// <mine>\n"
    words = (tmp_path / "words").read_text().split()
    assert words[:2] == ["check", "02"] and words[3:6] == ["--gpu", "t4", "--html"]
    assert not Path(words[2]).exists()


def test_ipython_does_not_warn_of_the_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "warpgrade", SCRIPT).chmod(0o755)
    monkeypatch.setenv("CODE", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HTML(notebook.report(Repository(tmp_path), "02", "// mine"))  # type: ignore[no-untyped-call]


def test_no_stage_depends_on_the_notebook() -> None:
    from warpgrade.core.code_hash import closure

    package = here().root / "grader" / "warpgrade"
    assert package / "cli" / "notebook.py" not in closure(("warpgrade.judge.verdict",), package)


@needs_tools
def test_a_notebook_elsewhere_finds_the_course_as_the_documentation_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Colab, nothing is installed and no variable is set: the notebook enters the folder."""
    root = here().root
    for name in ("PYTHONPATH", "WARPGRADE_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    page = (root / "docs" / "integrations.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^import sys; .*$", page, re.MULTILINE)
    kernel = (root / "solutions" / LAB / "kernel.cu").read_text(encoding="utf-8")
    *_, shown = outputs(f"%cd {root}", line, "%load_ext warpgrade", f"%%warpgrade {LAB}\n{kernel}")
    assert "<iframe" in shown and LAB in html.unescape(shown)
