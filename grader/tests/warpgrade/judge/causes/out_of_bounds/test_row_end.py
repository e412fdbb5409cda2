"""Accesses behind the end of a row of an operand, and of the result where threads have several elements."""

from __future__ import annotations

from warpgrade.judge.causes.out_of_bounds import row_end
from warpgrade.judge.causes.out_of_bounds.row_end import Reached
from warpgrade.records import LaunchShape, Place

ONE_EACH = LaunchShape((16, 16), (16, 16))
READ = Place("kernel.cu", 9, block=(0, 1, 0), thread=(3, 4, 0), access="read")  # row 20
RESULT = ("m", "n")


def words(column: int, signs: tuple[str, str] = ("m", "k"), row: int = 20) -> str:
    at = Reached("A", (21, 10), signs, row * 10 + column)
    return row_end.of_own_row(at, READ, RESULT, ONE_EACH)


def test_a_column_behind_the_thread_s_own_row() -> None:
    assert "row of A is 20, and it reads column 12 of it, which is not below k = 10" in words(12)


def test_what_is_no_column_of_the_thread_s_row() -> None:
    assert words(9) == "" and words(12, row=25) == ""
    assert words(12, signs=("k", "n")) == "" and words(12, signs=("m", "n")) == ""
    assert row_end.of_own_row(Reached("A", (21, 10), ("m", "k"), 212), READ, RESULT, None) == ""


def test_threads_of_several_elements() -> None:
    four = LaunchShape((4, 16), (16, 16))
    last = Reached("C", (4, 4), RESULT, 16)
    assert "A thread has 4 elements of C, and this is 1 behind" in row_end.of_several(last, four)
    assert row_end.of_several(last, ONE_EACH) == ""
    assert row_end.of_several(Reached("C", (4, 4), RESULT, 20), four) == ""
