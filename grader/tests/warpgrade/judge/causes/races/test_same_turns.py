"""Threads that all run the same turns of a loop, and store the same elements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.races import same_turns
from warpgrade.records import Finding, Place

TEXT = """__global__ void k(float* y, int n) {
  int row = blockIdx.y * 16 + threadIdx.y;
  for (int c = 0; c < n; ++c) {
    y[row * n + c] = c;
  }
}"""
ONE = Place("kernel.cu", 4, block=(0, 0, 0), thread=(1, 0, 0), access="write")
RACE = Finding("c", "race", "global-race", "WG114", "error", "m", ONE, help="own",
               other=replace(ONE, thread=(0, 0, 0)))  # fmt: skip


def test_a_loop_that_nothing_divides_among_the_threads() -> None:
    found = same_turns.advised(RACE, TEXT)
    assert found.cause == same_turns.CAUSE
    assert "differ in threadIdx.x all run the loop in line 3" in found.help
    updating = TEXT.replace("] =", "] +=")
    assert same_turns.advised(replace(RACE, cause="shared-element"), updating).cause == same_turns.CAUSE


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("c = 0", "c = threadIdx.x"),
        TEXT.replace("int row", "int t = threadIdx.x, first = t * 2, row").replace("+ c]", "+ first + c]"),
        TEXT.replace("+ c]", "+ threadIdx.x]"),
        TEXT.replace("for (int c = 0; c < n; ++c)", "while (c < n)"),
        TEXT.replace("int row", "float* out = y + threadIdx.x * n; int row").replace("y[row", "out[row"),
    ],
)
def test_threads_that_differ_in_the_index(text: str) -> None:
    assert same_turns.advised(RACE, text) == RACE


def test_blocks_that_all_run_the_loop() -> None:
    of_blocks = replace(RACE, place=replace(ONE, block=(1, 0, 0)))
    assert "differ in blockIdx.x" in same_turns.advised(of_blocks, TEXT).help
    of_rows = replace(RACE, place=replace(ONE, block=(0, 1, 0)))
    assert same_turns.advised(of_rows, TEXT) == of_rows, "another row"


def test_another_race_keeps_its_advice() -> None:
    for other in (replace(RACE, cause="lost-update"), replace(RACE, kind="race-read-write"),
                  replace(RACE, other=replace(ONE, line=5))):  # fmt: skip
        assert same_turns.advised(other, TEXT) == other
