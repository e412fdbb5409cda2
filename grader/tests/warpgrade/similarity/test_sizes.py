"""Sizes of launches and of shared arrays, and pairs that hardly anybody else's sizes are like."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.similarity import sizes
from warpgrade.similarity.comparison import RARE, compared
from warpgrade.similarity.documents import CLASS, COURSE, Candidate, without

TILED = """
constexpr int SIDE = 32, ROWS = 8;  // LAUNCH_SHAPE(1, 1, 1, 1)
LAUNCH_SHAPE(SIDE, ROWS, SIDE, (SIDE))
__shared__ float tile[SIDE][SIDE + 1];
"""
REWRITTEN = """
#define S 32
LAUNCH_SHAPE(S, 8, S, S)
__shared__ float box[S * (S + 1)];
"""


def test_sizes_are_those_of_the_numbers_however_they_are_written() -> None:
    assert sizes.of(TILED) == sizes.of(REWRITTEN) == (((32, 8, 32, 32),), (4224,))
    several = (
        "LAUNCH_SHAPE_1D_OF(second, 64, 1)\nLAUNCH_SHAPE_1D_OF(first, 32, 2)\n__shared__ int a[2], b[1];"
    )
    assert sizes.of(several) == (((32, 2), (64, 1)), (4, 8))


@pytest.mark.parametrize("text", ["", "LAUNCH_SHAPE(16, 16, 16, 16)", "__shared__ int a[4];",
                                  "LAUNCH_SHAPE(N, N, N, N)\n__shared__ int a[4];"])  # fmt: skip
def test_without_both_nothing_is_said(text: str) -> None:
    assert sizes.of(text) is None


def candidate(name: str, own: sizes.Sizes | None, kind: str = CLASS) -> Candidate:
    return Candidate(name, kind, "line\n", {}, {}, own)


def listed(*documents: Candidate) -> list[set[str]]:
    found = compared(documents)
    assert found.pairs == found.nearest == ()
    return [{pair.one.name, pair.other.name} for pair in found.same_sizes]


RARELY, OTHERS = (((32, 8),), (4224,)), (((16, 16),), (1024,))


def test_a_pair_with_sizes_of_its_own_is_listed_and_is_no_pair() -> None:
    others = [candidate(f"s{number}", OTHERS) for number in range(RARE + 1)]
    assert listed(candidate("ann", RARELY), *others, candidate("bob", RARELY)) == [{"ann", "bob"}]
    assert listed(*others) == [], "what many have"
    assert listed(candidate("ann", None), candidate("bob", None)) == []


def test_sizes_of_two_of_the_courses_kernels_say_nothing() -> None:
    course = [candidate(name, RARELY, COURSE) for name in ("one", "two")]
    assert listed(candidate("ann", RARELY), course[0]) == [{"ann", "one"}]
    assert listed(candidate("ann", RARELY), *course) == [] == listed(*course)


def test_what_everybody_was_given_goes() -> None:
    own = candidate("ann", RARELY)
    assert without(own, candidate("skeleton", RARELY)).sizes is None
    assert without(own, candidate("skeleton", OTHERS)) == replace(own, terms={}, grams={})
