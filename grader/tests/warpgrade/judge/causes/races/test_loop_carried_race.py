"""A barrier that is missing at a loop's end is reported as such; another missing barrier stays as it is."""

from __future__ import annotations

from warpgrade.judge.causes.races.loop_carried_race import HELP, turned
from warpgrade.records import Finding, Memory, Place, SourceFile, Submission

WRITE = Place("/box/kernel.cu", 2, thread=(0, 14, 0), access="write")
READ = Place("/box/kernel.cu", 4, thread=(1, 14, 0), access="read")
MEMORY = Memory("shared", allocation="shared array As", distance=896, relation="inside")


def finding(between: str, place: Place = WRITE, other: Place = READ) -> Finding:
    text = f"for (;;) {{\n  As[ty][tx] = a;\n  {between}\n  sum += As[ty][i];\n}}\n"
    handed_in = Submission("s", "02-tiled", "s", (SourceFile("kernel.cu", text),), "0")
    return turned(
        Finding(
            "c",
            "race",
            "race-read-write",
            "WG112",
            "error",
            "own words",
            place,
            other=other,
            memory=MEMORY,
            help="own",
        ),
        handed_in,
    )


def test_the_read_comes_first_and_the_barrier_to_the_end() -> None:
    found = finding("__syncthreads();  // 1")
    assert found.message == (
        "thread (1,14,0) reads byte 896 of shared array As, which thread (0,14,0) overwrites, with no "
        "barrier in between"
    )
    assert (found.place, found.other, found.help) == (READ, WRITE, HELP)


def test_without_a_barrier_between_the_lines_it_is_the_first_one_that_is_missing() -> None:
    for between in ("", "// __syncthreads();", "/* __syncthreads(); */"):
        assert finding(between).help == "own"


def test_a_write_behind_the_read_stays() -> None:
    assert finding("__syncthreads();", place=READ, other=WRITE).help == "own"


def test_a_write_that_stands_behind_the_read_is_of_the_same_turn() -> None:
    """The read may stand in a function above: which barriers lie between the two is not known then."""
    behind, above = Place("/box/kernel.cu", 5, access="write"), Place("/box/kernel.cu", 1, access="read")
    assert finding("__syncthreads();", behind, above).help == "own"


def test_a_turn_needs_a_loop() -> None:
    def found_in(text: str) -> Finding:
        handed_in = Submission("s", "02-tiled", "s", (SourceFile("kernel.cu", text),), "0")
        race = Finding(
            "c", "race", "race-read-write", "WG112", "error", "m", WRITE, other=READ, memory=MEMORY
        )
        return turned(race, handed_in)

    body = "{\n  As[t] = a;\n  __syncthreads();\n  sum += As[i];\n}\n"
    assert found_in("__global__ void k() " + body + "int main() { for (;;) go(); }").cause is None
    assert found_in("__global__ void k() { for (;;) " + body).cause == "next-turn-overwrites"
    assert found_in("__device__ void f() " + body).cause == "next-turn-overwrites", (
        "its call may be in a loop"
    )
