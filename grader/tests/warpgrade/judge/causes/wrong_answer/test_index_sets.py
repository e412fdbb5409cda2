"""Sets of indices in words: of one element, and of several in the same way."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes.wrong_answer import index_sets
from warpgrade.judge.causes.wrong_answer.index_sets import Ranges

INDICES = [(0, 1), (12, 15), (24, 21)]


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        (((0, 31),), "0–31"),
        (((7, 7),), "7"),
        (((0, 0), (16, 17)), "0, 16–17"),
        (((1, 1), (3, 3), (5, 5), (7, 7)), "every 2nd from 1 to 7"),
        (((3, 3), (7, 7), (11, 11), (15, 15)), "every 4th from 3 to 15"),
        (((1000, 2000),), "1,000–2,000"),
    ],
)
def test_one_set(ranges: Ranges, words: str) -> None:
    assert index_sets.single(ranges) == words


def at(*numbers: int) -> list[Ranges]:
    return [((number, number),) for number in numbers]


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        (at(0, 12, 24), "i"),
        (at(1, 15, 21), "j"),
        (at(1, 13, 25), "i + 1"),
        (at(31, 19, 7), "31 - i"),
        (at(0, 8, 24), "i / 8 * 8"),
        (at(1, 15, 5), "j % 16"),
        (at(5, 5, 5), "5"),
        (at(3, 1, 4), ""),
        ([((0, 1),), ((0, 15),), ((0, 21),)], "0–j"),
        ([((0, 0), (16, 16)), ((12, 12), (28, 28)), ((24, 24), (40, 40))], "i and i + 16"),
        ([((0, 31),), ((0, 31),), ((0, 31), (40, 40))], ""),
        ([(), ((0, 0),), ((0, 0),)], ""),
    ],
)
def test_one_text_for_several_elements(sets: list[Ranges], words: str) -> None:
    assert index_sets.common(sets, INDICES) == words


def test_what_is_left_of_a_set() -> None:
    assert index_sets.without(((0, 31),), ((4, 7), (31, 31))) == ((0, 3), (8, 30))
    assert index_sets.without(((0, 3),), ((0, 9),)) == ()
    assert index_sets.size(((0, 3), (8, 30))) == 27


def test_only_what_a_loop_or_a_guard_makes_is_plain() -> None:
    assert index_sets.is_plain(((0, 3), (8, 30)))
    assert index_sets.is_plain(((0, 0), (2, 2), (4, 4), (6, 6)))
    assert not index_sets.is_plain(((1, 1), (3, 3), (25, 25)))
    assert not index_sets.is_plain(())


def test_amounts_that_follow_from_indices() -> None:
    assert index_sets.formula([1.0, 15.0, 5.0], INDICES) == "j % 16"
    assert index_sets.formula([2.5, 2.5, 2.5], INDICES) == ""
    assert index_sets.formula([1.0], INDICES[:1]) == ""
