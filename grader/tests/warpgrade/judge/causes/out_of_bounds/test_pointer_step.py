"""Pointers that walk through a matrix by steps that do not fit it."""

from __future__ import annotations

from support import sample_results
from warpgrade.judge.causes.out_of_bounds import pointer_step
from warpgrade.records import Case, Finding, Memory, Place, Visibility

CASE = Case("c", ("m", "n", "k"), (32, 48, 64), "integers", 1.0, Visibility.VISIBLE)
LAB = sample_results.lab()
TEXT = """const float* a = A + row * k;
const float* b = B + column;
tile[y][x] = *a + b[x];
a += 16;
b += 16 * n;
"""


def advised(array: str, text: str) -> Finding:
    memory = Memory("global", "0x0", 4, array, 4096, 0, "after")
    place = Place("kernel.cu", 3, source="tile[y][x] = *a + b[x];", access="read")
    found = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help="own")
    return pointer_step.advised(found, text, LAB, CASE)


def test_down_by_rows_where_it_should_go_along_one() -> None:
    found = advised("A", TEXT.replace("a += 16", "a += 16 * k"))
    assert found.cause == pointer_step.CAUSE and "down by whole rows of A" in found.help


def test_down_by_rows_of_another_length() -> None:
    assert "a row of B has n elements" in advised("B", TEXT.replace("16 * n", "16 * k")).help


def test_other_steps_say_nothing() -> None:
    for array, text in (("A", TEXT), ("A", TEXT.replace("a += 16;", "")), ("C", TEXT)):
        assert advised(array, text).help == "own"
