"""Advice where threads write one part of a shared array twice, and another part of it not at all."""

from __future__ import annotations

from dataclasses import replace

from warpgrade.judge.causes.unwritten import place_twice
from warpgrade.records import Finding, Memory, Place

TILE = Memory("shared", "0x80", 4, "shared array tile", 4096, 128, "inside", words="tile[0][32]")
READ = Finding(
    "case", "init", "uninitialised-read", "WG121", "error", "a read", Place("kernel.cu", 40), memory=TILE
)
SIDE = Place("kernel.cu", 30, block=(0, 0, 0), thread=(0, 0, 0), access="write")
RACE = Finding(
    "case", "race", "race-same-value", "WG113", "warning", "a race", SIDE,
    other=replace(SIDE, thread=(64, 0, 0)), memory=replace(TILE, words="tile[0][0]"),
)  # fmt: skip


def test_a_part_that_nobody_writes_beside_one_that_two_write() -> None:
    read, race = place_twice.with_explanation([READ, RACE])
    assert read.cause == place_twice.CAUSE and race == RACE
    assert "Nobody writes tile[0][32], and threads (0,0,0) and (64,0,0) both write tile[0][0]" in read.help
    assert "in line 30" in read.help


def test_another_array_another_case_and_a_known_cause_are_left_alone() -> None:
    other = replace(RACE, memory=replace(TILE, allocation="shared array other"))
    for race in (other, replace(RACE, label="another"), replace(RACE, other=None), replace(RACE, cause="x")):
        assert place_twice.with_explanation([READ, race]) == [READ, race]
    known = replace(READ, cause="never-filled")
    assert place_twice.with_explanation([known, RACE]) == [known, RACE]
    of_global = replace(RACE, memory=replace(TILE, space="global"))
    atomic = replace(RACE, place=replace(SIDE, access="atomic", line=32))
    assert place_twice.with_explanation([READ, atomic]) == [READ, atomic], "no second store of one line"
    assert place_twice.with_explanation([READ, of_global]) == [READ, of_global]


def test_threads_that_only_differ_in_their_row() -> None:
    below = replace(RACE, other=replace(SIDE, thread=(0, 1, 0)))
    guessed = replace(READ, cause="too-few-threads", help="a loop")
    read, _ = place_twice.with_explanation([guessed, below])
    assert read.cause == place_twice.CAUSE and "threadIdx.y * blockDim.x + threadIdx.x" in read.help
    across, _ = place_twice.with_explanation([guessed, RACE])
    assert across.cause == place_twice.CAUSE and "threadIdx.y" not in across.help
