"""A missing barrier at a loop's end is told as one, a missing first one stays as it is."""

from __future__ import annotations

from warpgrade.judge.loop_carried_race import HELP, turned
from warpgrade.records import Finding, Place, SourceFile, Submission

FIRST = (
    "thread (0,14,0) writes byte 896 of shared array As, which thread (1,14,0) reads, with no barrier "
    "between them"
)
WRITE, READ = Place("/box/kernel.cu", 2, access="write"), Place("/box/kernel.cu", 4, access="read")


def told(between: str, place: Place = WRITE, other: Place = READ) -> Finding:
    text = f"for (;;) {{\n  As[ty][tx] = a;\n  {between}\n  sum += As[ty][i];\n}}\n"
    handed_in = Submission("s", "02-tiled", "s", (SourceFile("kernel.cu", text),), "0")
    return turned(
        Finding("c", "race", "race-read-write", "WG112", "error", FIRST, place, other=other, help="own"),
        handed_in,
    )


def test_the_read_comes_first_and_the_barrier_to_the_end() -> None:
    found = told("__syncthreads();  // 1")
    assert found.message == (
        "thread (1,14,0) reads byte 896 of shared array As, which thread (0,14,0) overwrites, with no "
        "barrier in between"
    )
    assert (found.place, found.other, found.help) == (READ, WRITE, HELP)


def test_without_a_barrier_between_the_lines_it_is_the_first_one_that_is_missing() -> None:
    for between in ("", "// __syncthreads();", "/* __syncthreads(); */"):
        assert told(between).help == "own"


def test_a_write_behind_the_read_stays() -> None:
    assert told("__syncthreads();", place=READ, other=WRITE).help == "own"
