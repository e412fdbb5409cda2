"""A place outside an array, explained by the thread's own element."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes.out_of_bounds import own_element
from warpgrade.records import LaunchShape, Place

SQUARES = LaunchShape((16, 16), (16, 16))


def words_about(
    index: int, own: tuple[int, ...], extents: tuple[int, ...] = (32, 128), access: str = "read"
) -> str:
    found = own_element.explained(Place("kernel.cu", 7, access=access), "x", extents, index, own)
    return f"{found.words}; {found.help}" if found else ""


@pytest.mark.parametrize(
    ("index", "own", "place", "side"),
    [
        (
            -2 * 128 - 2,
            (0, 0),
            "x[−2][−2], row −2 of x",
            "2 rows before the first and 2 columns before the first",
        ),
        (-1, (0, 0), "x[0][−1], column −1 of x", "1 column before the first"),
        (32 * 128, (31, 0), "x[32][0], row 32 of x, which has rows 0 to 31", "1 row behind the last"),
        (32 * 128, (31, 127), "x[31][128], column 128 of x", "1 column behind the last"),
        (34 * 128 + 3, (31, 5), "x[34][3], row 34 of x", "3 rows behind the last"),
    ],
)
def test_a_neighbour_that_is_not_there(index: int, own: tuple[int, int], place: str, side: str) -> None:
    assert place in words_about(index, own) and side in words_about(index, own)


def test_a_neighbour_in_space() -> None:
    words = words_about(8 * 16 * 32, (7, 0, 0), (8, 16, 32))
    assert "plane 8 of x, which has planes 0 to 7" in words and "Limit the plane by itself" in words
    assert words_about(8 * 16 * 32, (3, 0, 0), (8, 16, 32)) == "", "five planes away is no neighbour"


def test_indices_in_another_order() -> None:
    assert "x[32][0] is the same with row and column exchanged" in words_about(
        32 * 128, (0, 32), access="write"
    )
    assert "beside x[31][0], the same with row and column exchanged" in words_about(32 * 128, (0, 31))
    words = words_about(8 * 16 * 32 + 2, (0, 8, 2), (8, 16, 32), "write")
    assert "x[8][0][2] is the same with plane and row exchanged" in words


def test_what_says_nothing() -> None:
    assert words_about(32 * 128, (32, 0)) == "", "the thread itself stands outside"
    assert words_about(90 * 128, (31, 0)) == "", "too far for a neighbour"
    assert own_element.explained(Place("kernel.cu", 7), "x", (9,), 9, (8,)) is None, (
        "one index: nothing is lost in it"
    )


def test_the_thread_s_own_element() -> None:
    place = Place("kernel.cu", 7, block=(2, 1, 0), thread=(3, 5, 0))
    assert own_element.of_thread(place, SQUARES, 2) == (21, 35)
    assert own_element.of_thread(place, SQUARES, 3) is None
    assert own_element.of_thread(place, LaunchShape((16, 16), (32, 32)), 2) is None
    assert own_element.of_thread(place, None, 2) is None
