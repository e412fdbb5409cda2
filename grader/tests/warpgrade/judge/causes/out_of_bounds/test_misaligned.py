"""What keeps a vector from beginning at an address: the array, a row of it, or the index."""

from __future__ import annotations

from dataclasses import replace

from support import sample_results
from warpgrade.judge.causes.out_of_bounds import misaligned
from warpgrade.records import Case, Finding, Memory, Place, Visibility

CASE = Case("c", ("m", "n", "k"), (15, 130, 10), "integers", 1.0, Visibility.VISIBLE)
ROW = Memory("global", hex(0x7000 + 4 * 3 * 130), 16, "C", 4 * 15 * 130, 4 * 3 * 130, "inside")


def advice(memory: Memory, kind: str = "misaligned") -> str:
    found = Finding(
        "c", "memory", kind, "WG103", "error", "m", Place("kernel.cu", 7), memory=memory, help="own"
    )
    return misaligned.advised(found, "", sample_results.lab(), CASE).help


def test_a_row_whose_length_is_no_multiple_of_the_vector() -> None:
    assert "n = 130 elements, which is no multiple of 4, so that row 3 begins" in advice(ROW)


def test_an_array_that_begins_anywhere() -> None:
    assert "C itself does not begin at a multiple of 16" in advice(
        replace(ROW, address=hex(0x7004 + 4 * 3 * 130))
    )


def test_an_index_within_a_vector() -> None:
    second = replace(ROW, address="0x7004", distance=4)
    assert "This takes 4 elements of C from C[0][1] on" in advice(second)


def test_other_findings_and_places_stay() -> None:
    assert advice(ROW, "out-of-bounds-read") == "own"
    assert advice(replace(ROW, space="shared")) == "own" and advice(replace(ROW, allocation="words")) == "own"
