"""Tables of X-macros: each row of the emulator's own, and rows in all their forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.tables import def_table

EMULATOR = Path(__file__).resolve().parents[4] / "grader" / "emulator"


@pytest.mark.parametrize(
    ("file", "macro", "columns"),
    [("machine/finding_kinds.def", "KIND", 6), ("machine/counters/metrics.def", "METRIC", 3)],
)
def test_every_row_of_the_emulators_tables_is_read(file: str, macro: str, columns: int) -> None:
    path = EMULATOR / file
    found = def_table.rows(path, macro)
    uses = [line for line in path.read_text().splitlines() if line.startswith(f"{macro}(")]
    assert len(found) == len(uses) > 10
    assert {len(row) for row in found} == {columns} and all(all(row) for row in found)


def test_strings_are_joined_and_comments_skipped(tmp_path: Path) -> None:
    file = tmp_path / "a.def"
    file.write_text(
        '// ROW(no, "comment")\nROW(one, "a, b (c) "\n    "and d")\nOTHER(two, "e")\nROW(three,"")\n'
    )
    assert def_table.rows(file, "ROW") == [("one", "a, b (c) and d"), ("three", "")]
