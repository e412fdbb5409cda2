"""A break, continue or return that leads threads past a barrier."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes import left_loop
from warpgrade.records import Finding, Place

TEXT = """__global__ void k() {
  for (int t = 0; t < n; ++t) {
    if (t * 16 + x >= n) break;
    __syncthreads();
  }
}"""
BARRIER = Place("kernel.cu", 4, access="barrier")
FOUND = Finding("c", "barrier", "barrier-partial-warp", "WG133", "error", "m", BARRIER, help="own",
                other=Place("kernel.cu", 2))  # fmt: skip


@pytest.mark.parametrize("word", ["break", "continue", "return"])
def test_the_statement_is_named_with_its_line(word: str) -> None:
    found = left_loop.advised(FOUND, TEXT.replace("break", word))
    assert f"The {word} in line 3 leads some threads past the barrier in line 4" in found.help


def test_without_such_a_statement_the_advice_stays() -> None:
    assert left_loop.advised(FOUND, TEXT.replace("break", "y = 0")) == FOUND
    places = (None, Place("kernel.cu", 5), Place("other.cuh", 2))
    for other in (*(replace(FOUND, other=each) for each in places), replace(FOUND, kind="barrier-deadlock")):
        assert left_loop.advised(other, TEXT) == other
