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


def test_a_bracket_that_ends_a_loop_s_head_is_no_cast() -> None:
    counts = "for (int i = t; i < last; i += N) atomicAdd(&bins[bytes[i]], 1u); all = bins[t];"
    assert not tickets.advice("bytes", -1, 37, counts)
    assert tickets.advice("bytes", -1, 37, "int tile = (int)atomicAdd(words, 1); x = words[tile];")


@pytest.mark.parametrize(
    "text",
    [
        "is_last = atomicAdd(&tickets, 1u) == gridDim.x;",
        "is_last = (atomicInc(&tickets, BLOCKS - 1) == BLOCKS);",
        "const unsigned ticket = atomicAdd(&tickets, 1u);\n__syncthreads();\nif (ticket == gridDim.x) sum();",
    ],
)
def test_a_ticket_that_no_block_draws(text: str) -> None:
    assert "compared with" in tickets.never_last(text)
    right = text.replace("== gridDim.x", "== gridDim.x - 1").replace("== BLOCKS", "== BLOCKS - 1")
    assert not tickets.never_last(right)


def test_a_ticket_compared_with_the_number_of_blocks_itself() -> None:
    shape = "LAUNCH_BLOCKS_OF(sum_all, 132)\n"
    compared = "last = atomicInc(&done, 131) == {};"
    assert "the last of 132 blocks 132 - 1" in tickets.never_last(shape + compared.format(132))
    for text in (shape + compared.format(131), compared.format(132)):
        assert tickets.never_last(text) == ""
