"""The emulator's kinds of findings: codes and names are used once, and a missing table is an error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository, here
from warpgrade.tables import finding_kinds

PAGE = here().root / "docs" / "findings.md"
KINDS = finding_kinds.load(here())


def test_codes_and_names_are_used_once() -> None:
    assert len({kind.code for kind in KINDS}) == len({kind.name for kind in KINDS}) == len(KINDS)
    assert all(re.fullmatch(r"WG1\d\d", kind.code) for kind in KINDS)
    assert {kind.severity for kind in KINDS} == {"error", "warning"}


def test_the_columns_of_a_row() -> None:
    kind = next(kind for kind in KINDS if kind.code == "WG112")
    assert (kind.name, kind.words, kind.check) == ("race-read-write", "race read write", "race")
    assert (kind.severity, "__syncthreads()" in kind.help) == ("error", True)


def documented() -> dict[str, set[int]]:
    """Check → numbers of its codes in the table of docs/findings.md."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    numbers: dict[str, set[int]] = {}
    for check, codes in rows:
        ranges = re.findall(r"WG(\d+)(?: to WG(\d+))?", codes)
        numbers[check] = {n for first, last in ranges for n in range(int(first), int(last or first) + 1)}
    return numbers


def test_the_page_lists_each_code_beside_its_check() -> None:
    table: dict[str, set[int]] = {}
    for kind in KINDS:
        table.setdefault(kind.check, set()).add(int(kind.code[2:]))
    page = documented()
    for check in table.keys() | page.keys():
        differing = table.get(check, set()) ^ page.get(check, set())
        assert not differing, (
            f"docs/findings.md, row `{check}` of the first table, and finding_kinds.def differ in "
            + ", ".join(f"WG{number}" for number in sorted(differing))
        )


def test_without_the_table(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match="is missing"):
        finding_kinds.load(Repository(tmp_path))
