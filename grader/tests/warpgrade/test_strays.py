"""Advice on an access outside a matrix fits who made it and how far it is off."""

from __future__ import annotations

import pytest

from warpgrade.records import Case, Finding, LaunchShape, Memory, Place, Visibility
from warpgrade.strays import advised

CASE = Case("c", 15, 20, 10, "integers", 1.0, Visibility.VISIBLE)
ONE_EACH, MANY = LaunchShape((16, 16), (16, 16)), LaunchShape((8, 8), (32, 32))
OWN = "the emulator's own"


def told(name: str, distance: int, thread: tuple[int, int] = (0, 0), shape: LaunchShape | None = MANY,
         relation: str = "after", code: str = "WG101") -> str:  # fmt: skip
    memory = Memory("global", "0x0", 4, name, 600, distance, relation)
    place = Place("kernel.cu", 7, block=(0, 0, 0), thread=(*thread, 0))
    return advised(
        Finding("c", "memory", "x", code, "error", "m", place, memory=memory, help=OWN), CASE, shape
    ).help


def test_the_first_element_behind_the_last() -> None:
    assert "says <=, it should say <" in told("A", 0) and "A has 15 × 10 elements (m × k)" in told("A", 0)


def test_behind_the_end_of_the_last_row() -> None:
    assert "3 behind the end of its last row: bound the column by k" in told("A", 8)


@pytest.mark.parametrize(("name", "width", "sign"), [("A", 10, "m"), ("B", 20, "k"), ("C", 20, "m")])
def test_a_row_too_far(name: str, width: int, sign: str) -> None:
    assert f"a row too far: bound the row by {sign}" in told(name, 4 * (width - 1))
    assert "3 rows too far" in told(name, 4 * (3 * width + 2))


def test_a_negative_index() -> None:
    assert "negative" in told("B", -80, relation="before")


def test_a_thread_that_stands_outside() -> None:
    """Whatever the distance: the first element behind A is where row m begins, too."""
    assert "its row 15 is not below m = 15: it must not read there" in told("A", 0, (3, 15), ONE_EACH)
    assert "its row 15 is not below m = 15: it must not write" in told("C", 0, (3, 15), ONE_EACH)
    assert "says <=" in told("A", 0, (3, 14), ONE_EACH)
    assert "says <=" in told("B", 0, (3, 15), ONE_EACH), "rows of B are not the thread's"


def test_what_is_not_known_stays() -> None:
    assert told("scratch", 0) == told("A", 0, relation="inside") == told("A", 0, code="WG103") == OWN
