"""An index that comes from a word of tickets in which something else was stored."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes import tickets

DRAWN = "if (t == 0) tile = static_cast<int>(atomicAdd(words, 1ull)); words[tile] = sum;"
IN_A_FUNCTION = """
int next(float* other, unsigned* drawn) { const int tile = atomicInc(drawn, 9); return tile; }
void k() { const int tile = next(y, words + 0); words[tile] = 1; }
"""


@pytest.mark.parametrize("text", [DRAWN, IN_A_FUNCTION])
def test_an_index_that_no_ticket_can_have_given(text: str) -> None:
    for index in (-1, 74, 1 << 30):
        assert "an atomic from an element of words" in tickets.advice("words", index, 37, text)
    # What is read or written elsewhere by the number of a tile.
    assert "an element of words" in tickets.advice("numbers", -4096, 20_003, text)


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (37, DRAWN),  # one behind the last: a bound
        (-1, DRAWN.replace("atomicAdd", "max")),
        (-1, "atomicAdd(words, 1ull); words[tile] = sum;"),  # counts, and draws nothing
        (-1, "tile = atomicAdd(&tickets, 1);"),  # nothing else can be stored there
    ],
)
def test_other_indices(index: int, text: str) -> None:
    assert not tickets.advice("numbers", index, 37, text)
