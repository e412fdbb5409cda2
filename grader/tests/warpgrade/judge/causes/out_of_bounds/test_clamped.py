"""Indices that are held to an extent, one too many."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes.out_of_bounds import clamped
from warpgrade.records import Case, Finding, Memory, Place, Visibility

CASE = Case("c", ("rows", "columns"), (32, 128), "integers", 1.0, Visibility.VISIBLE)
IMAGE = Memory("global", "0x0", 4, "image", 4 * 32 * 128, 0, "after")


def advised(text: str, cause: str = "outside-the-array") -> Finding:
    text += "\n  s += w * image[rr * columns + cc];"
    place = Place("kernel.cu", text.count("\n") + 1)
    found = Finding("c", "memory", "x", "WG101", "error", "m", place, cause=cause, memory=IMAGE, help="own")
    return clamped.advised(found, text, CASE)


@pytest.mark.parametrize(
    "text",
    [
        "if (rr > rows) rr = rows;",
        "if (rr >= rows) { rr = rows; }",
        "int rr = min(max(r, 0), rows);",
        "int rr = max(0, min(rows, r));",
        "rr = rr > rows ? rows : rr;",
    ],
)
def test_what_is_held_to_the_extent(text: str) -> None:
    found = advised(text)
    assert found.cause == clamped.CAUSE and "Line 1 holds rr to at most rows" in found.help


@pytest.mark.parametrize(
    "text",
    [
        "if (rr > rows - 1) rr = rows - 1;",
        "int rr = min(max(r, 0), rows - 1);",
        "if (rr >= rows) continue;",
        "int other = min(r, rows);",
        "rr = rr < rows ? rr : rows - 1;",
        "for (int rr = 0; rr < rows; ++rr)",
    ],
)
def test_what_is_held_otherwise(text: str) -> None:
    assert advised(text).help == "own"


def test_a_cause_that_says_more_is_kept() -> None:
    assert advised("if (rr > rows) rr = rows;", cause="loop-too-far").help == "own"
