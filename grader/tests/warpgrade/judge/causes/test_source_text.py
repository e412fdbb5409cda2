"""What the text of a submission says about its functions."""

from __future__ import annotations

from warpgrade.judge.causes.source_text import bare, given

TEXT = """
__device__ void add(float* place, float value) { atomicCAS((int*)place, 0, 1); }
__global__ void sums_of(float* sums) { add(&sums[threadIdx.x], 1); }
__global__ void counts_of(unsigned* counts) { atomicAdd(&counts[0], 1); }
"""


def test_names_in_functions_that_contain_a_word_and_what_these_are_given() -> None:
    found = given("atomicCAS", TEXT)
    assert {"place", "sums"} <= found and "counts" not in found
    assert given("atomicExch", TEXT) == set()


def test_a_long_text_takes_no_longer_than_its_length() -> None:
    assert given("x", "f(a) { x; " * 50_000) and not bare("/* " * 100_000)
