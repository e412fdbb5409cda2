"""Advice on a shared array of one dimension whose rows are of one length here and of another there."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes.wrong_answer import tile_pitch
from warpgrade.records import Finding, Memory, Place

TEXT = """
#define SIDE 16
__shared__ float tile[SIDE * (SIDE + 1)];
tile[y * SIDE + x] = A[y * columns + x];
T[x * rows + y] = tile[x * (SIDE + 1) + y];
"""
READ = Finding(
    "c", "init", "uninitialised-read", "WG121", "error", "m", Place("kernel.cu", 5, access="read"),
    memory=Memory("shared", "0x0", 4, "shared array tile", 1088, 1080, "inside"), help="own",
)  # fmt: skip


def test_rows_of_two_lengths() -> None:
    found = tile_pitch.advised(READ, TEXT)
    assert found.cause == tile_pitch.CAUSE
    assert "filled with rows of SIDE elements, and read as if a row had SIDE + 1" in found.help
    assert found.help == tile_pitch.of_any(TEXT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y * SIDE + x]", "y * 17 + x]"),  # the same length in other words
        ("y * SIDE + x]", "thread]"),
        ("y * SIDE + x]", "y * pitch + x]"),
        ("(SIDE + 1) + y]", "(SIDE + 1) + y] + tile[x * SIDE + y]"),  # read in two ways
        ("x * (SIDE + 1) + y]", "(2 * x + 1) * SIDE + y]"),  # the product in brackets is no length
    ],
)
def test_one_length_or_none_that_is_known(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    assert text != TEXT
    assert tile_pitch.advised(READ, text) == READ and tile_pitch.of_any(text) == ""
