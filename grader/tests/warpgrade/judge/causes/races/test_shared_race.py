"""Advice on races in shared memory: by what the two lines do, and by whose number the index is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.races import shared_race
from warpgrade.records import Finding, LaunchShape, Memory, Place, SourceFile, Submission

HERE = Place("kernel.cu", 4, block=(0, 0, 0), thread=(64, 0, 0), access="write")
THERE = replace(HERE, thread=(0, 0, 0))
TEXT = "__shared__ float sums[32];"
FIRST = Memory("shared", "0x0", 4, "shared array sums", 128, 0, "inside", words="sums[0]")
RACE = Finding(
    "case",
    "race",
    "race-write-write",
    "WG111",
    "error",
    "a race",
    HERE,
    other=THERE,
    memory=FIRST,
    help="any",
)
SHAPE = LaunchShape((128,), (1,))


def advised(finding: Finding, text: str = TEXT, shape: LaunchShape | None = SHAPE) -> Finding:
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", text),), "0")
    return shared_race.advised(finding, handed_in, shape, text)


def test_an_element_that_one_line_sets_and_another_updates() -> None:
    updates = replace(THERE, line=9, access="atomic")
    for place, other in ((HERE, updates), (updates, HERE)):
        found = advised(replace(RACE, place=place, other=other))
        assert found.cause == "set-and-updated" and "Line 4 sets what line 9 updates" in found.help
    assert advised(replace(RACE, other=replace(updates, access="write"))).cause is None


def test_warps_that_write_where_a_lane_s_number_says() -> None:
    found = advised(RACE)
    assert (
        found.cause == "lane-for-warp" and "Lane 0 of warp 0 and of warp 2 both write sums[0]" in found.help
    )
    square = replace(RACE, place=replace(HERE, thread=(0, 4, 0)))
    assert advised(square, shape=LaunchShape((16, 8), (1, 1))).cause == "lane-for-warp"


@pytest.mark.parametrize(
    "finding",
    [
        replace(RACE, place=replace(HERE, thread=(65, 0, 0))),  # another lane
        replace(RACE, place=replace(HERE, thread=(3, 0, 0))),  # the same warp
        replace(RACE, memory=replace(FIRST, distance=4)),  # another element
        replace(RACE, other=replace(THERE, line=5)),
        replace(RACE, cause="lost-update"),
    ],
)
def test_other_threads_that_write_one_element(finding: Finding) -> None:
    assert advised(finding) == finding


LOOP = """__global__ void k() {
  for (int d = 1; d < n; d *= 2) {
    if (t >= d)
      s[t] += s[t - d];
    __syncthreads();
  }
}"""


def test_a_line_that_reads_what_others_write_in_it() -> None:
    race = replace(RACE, kind="race-read-write", code="WG112", other=replace(THERE, access="read"))
    assert advised(race, LOOP).cause == "read-and-written-at-once"
    first = LOOP.replace("    __syncthreads();\n", "").replace("{\n    if", "{\n    __syncthreads();\n    if")
    assert advised(replace(race, place=replace(HERE, line=5), other=replace(THERE, line=5)), first).cause
    # No barrier in the loop: it is missing, and the line may be right.
    without = advised(race, LOOP.replace("    __syncthreads();\n", ""))
    assert without.cause is None and "turn of the loop in line 2" in without.help
    behind = LOOP.replace("    __syncthreads();\n  }", "  }\n  __syncthreads();")
    assert advised(race, behind).help == race.help, "which barrier that is, is not known"
    assert advised(race, LOOP.replace("s[t] += s[t - d]", "f(s[t], t <= d)")).cause is None


def test_a_ticket_that_each_thread_draws() -> None:
    draws = replace(HERE, source="  my_ticket = atomicInc(&ticket, BLOCKS - 1);")
    found = advised(replace(RACE, place=draws, other=replace(draws, thread=(0, 0, 0))))
    assert found.cause == "drawn-by-all" and "by atomicInc, and all store theirs in my_ticket" in found.help
    stores = replace(HERE, source="  last = ticket == BLOCKS - 1;")
    assert advised(replace(RACE, place=stores, other=stores)).cause != "drawn-by-all"
