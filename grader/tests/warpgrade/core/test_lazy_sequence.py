"""Items that are made when they are asked for."""

from __future__ import annotations

import pytest

from warpgrade.core.lazy_sequence import LazySequence


def test_it_is_a_sequence() -> None:
    squares = LazySequence(5, lambda at: at * at)
    assert list(squares) == [0, 1, 4, 9, 16] and len(squares) == 5
    assert (squares[1], squares[-1]) == (1, 16) and squares[1:4] == [1, 4, 9]
    assert squares == (0, 1, 4, 9, 16) and squares != (0, 1, 4, 9) and squares != 5
    for outside in (5, -6):
        with pytest.raises(IndexError):
            squares[outside]


def test_nothing_is_made_before_it_is_asked_for_and_nothing_is_kept() -> None:
    made = []

    def make(at: int) -> int:
        made.append(at)
        return at

    names = LazySequence(3, make).map(str)
    assert made == []
    assert names[2] == "2" and made == [2]
    assert names[2] == "2" and made == [2, 2]
