"""Whether a thread that reads the array of the results means that array."""

from __future__ import annotations

from dataclasses import replace

from warpgrade.judge.causes.races import mistaken_array
from warpgrade.records import Finding, Memory, Place

TEXT = """
__global__ void step(const float* __restrict__ before, float* after, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) after[i] = after[i - 1] + after[i + 1];
}
"""
LINE = Place("kernel.cu", 4, source="after[i] = after[i - 1] + after[i + 1];", access="write")
MEMORY = Memory("global", "0x10", 4, "after", 4000, 60, "inside")
RACE = Finding(
    "case", "race", "global-race", "WG114", "error", "a race", LINE, other=replace(LINE, access="read"),
    memory=MEMORY, help="Use atomics.", kernel="step",
)  # fmt: skip


def test_an_input_that_is_never_read_is_asked_for_first() -> None:
    found = mistaken_array.advised(RACE, TEXT)
    assert found.cause == "mistaken-array"
    assert found.help.startswith("Is after the array that is meant") and "never reads before" in found.help
    assert found.help.endswith("Use atomics.")


def test_a_kernel_that_reads_its_input_means_what_it_says() -> None:
    reads = TEXT.replace("after[i - 1]", "before[i - 1]")
    assert mistaken_array.advised(RACE, reads) == RACE
    assert mistaken_array.advised(replace(RACE, other=LINE), TEXT) == replace(RACE, other=LINE)
    assert mistaken_array.advised(replace(RACE, kernel="other"), TEXT) == replace(RACE, kernel="other")


def test_an_update_means_its_array() -> None:
    adds = replace(LINE, source="after[i] += 1;")
    race = replace(RACE, place=adds, other=replace(adds, access="read"))
    assert mistaken_array.advised(race, TEXT) == race


def test_one_array_through_two_parameters() -> None:
    source = "after[i] = 2 * total;"
    text = TEXT.replace(
        "after[i] = after[i - 1] + after[i + 1]", "{ float total = before[i - 1]; after[i] = 2 * total; }"
    )
    sides = replace(RACE, place=replace(LINE, source=source))
    twice = replace(sides, other=replace(LINE, access="read", source="float total = before[i - 1];"))
    found = mistaken_array.advised(twice, text)
    assert found.cause == "mistaken-array" and found.help.startswith("before and after are one array")
