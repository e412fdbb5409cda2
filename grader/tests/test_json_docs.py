"""docs/json-formats.md holds every field that is written: WARPGRADE_REBASE=1 makes its tables again."""

from __future__ import annotations

import os
from pathlib import Path

from support.documents.json_docs import MARK, tables

FILE = Path(__file__).resolve().parents[2] / "docs" / "json-formats.md"


def test_the_tables_are_those_of_the_records() -> None:
    text = FILE.read_text(encoding="utf-8")
    wanted = text[: text.index(MARK)] + MARK + "\n" + tables()
    if os.environ.get("WARPGRADE_REBASE"):
        FILE.write_text(wanted, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == wanted


def test_the_page_names_the_programs_that_write_json() -> None:
    text = FILE.read_text(encoding="utf-8")
    for word in ("results.json", "check --json", "WARPGRADE_FINDINGS", "WARPGRADE_COUNTERS"):
        assert word in text


def test_every_field_says_what_it_means() -> None:
    assert [line for line in tables().splitlines() if line.endswith("|  |")] == []
