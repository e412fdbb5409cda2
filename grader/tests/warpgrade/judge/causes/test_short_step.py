"""Loops whose turns threads share, with a step below their number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes import short_step
from warpgrade.records import Finding, LaunchShape, Memory, Place, SourceFile, Submission

SHAPE = LaunchShape((32, 8), (32, 32))
HERE = Place("kernel.cu", 3, block=(0, 0, 0), thread=(8, 0, 0), access="write")
MEMORY = Memory("shared", "0x0", 4, "shared array tile", 128, 0, "inside", words="tile[8]")
RACE = Finding(
    "c", "race", "race-same-value", "WG113", "warning", "m", HERE, other=HERE, memory=MEMORY, help="own"
)


def advised(head: str, line: str, shape: LaunchShape = SHAPE, finding: Finding = RACE) -> Finding:
    text = f"int tid = threadIdx.y * 32 + threadIdx.x; int lane = threadIdx.x % 32;\n{head}\n  {line}\n"
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", text),), "0")
    return short_step.advised(finding, handed_in, shape)


@pytest.mark.parametrize(
    ("head", "line", "count"),
    [
        ("for (int e = tid; e < 512; e += 8)", "tile[e] = 0;", "256 threads"),
        ("for (int e = threadIdx.x; e < 512; e += 16)", "tile[e] = 0;", "32 threads"),
        ("for (int j = 0; j < 32; j += 4)", "tile[threadIdx.y + j][x] = 0;", "8 threads"),
        ("for (int e = tid; e < 512; e++)", "tile[e] += 1;", "256 threads"),
    ],
)
def test_a_step_below_the_number_of_threads(head: str, line: str, count: str) -> None:
    found = advised(head, line)
    assert found.cause == short_step.CAUSE and count in found.help and "loop in line 2" in found.help


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("for (int e = tid; e < 512; e += 256)", "tile[e] = 0;"),
        ("for (int e = lane; e < 512; e += 8)", "tile[e] = 0;"),
        ("for (int j = 0; j < 32; j += 8)", "tile[threadIdx.y + j][x] = 0;"),
        ("for (int j = 0; j < 32; j += 4)", "tile[j] = 0;"),
        ("for (int e = tid; e < 512; e += n)", "tile[e] = 0;"),
        ("for (int e = tid; e < 512; e += 8) {}", "tile[tid] = 0;"),
    ],
)
def test_other_loops_are_not(head: str, line: str) -> None:
    assert advised(head, line) == RACE


def test_reads_and_causes_that_are_known_stay() -> None:
    loop = ("for (int e = tid; e < 512; e += 8)", "tile[e] = 0;")
    elsewhere = replace(RACE, other=replace(HERE, line=9, access="read"))
    for finding in (elsewhere, replace(RACE, cause="lost-update")):
        assert advised(*loop, finding=finding) == finding
    assert advised(loop[0], "sum += tile[e];") == RACE


BETWEEN_BLOCKS = replace(RACE, kind="global-race")


@pytest.mark.parametrize(
    "head", ["for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x)", "int i = threadIdx.x;"]
)
def test_a_step_by_the_number_of_blocks(head: str) -> None:
    line = "y[i] += 1;" if "for" in head else "y[i] += 1; i += gridDim.x;"
    found = advised(head, line, finding=BETWEEN_BLOCKS)
    assert (
        found.cause == short_step.CAUSE and "counts the blocks, and each block has 32 threads" in found.help
    )


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("for (int i = blockIdx.x; i < n; i += gridDim.x)", "y[i] += 1;"),
        ("for (int i = threadIdx.x; i < n; i += gridDim.x * blockDim.x)", "y[i] += 1;"),
        ("for (int i = threadIdx.x; i < n; i += gridDim.x)", "y[place] += 1;"),
    ],
)
def test_blocks_that_share_their_turns(head: str, line: str) -> None:
    assert advised(head, line, finding=BETWEEN_BLOCKS).help == "own"
