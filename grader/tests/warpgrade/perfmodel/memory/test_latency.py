"""Latencies of loads: those of one batch, and those of data that stays in L2."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from warpgrade.build.sass import Code, Instruction, Loop
from warpgrade.core.paths import Repository
from warpgrade.gpu import spec
from warpgrade.perfmodel.memory import latency
from warpgrade.perfmodel.memory.cache_traffic import Traffic
from warpgrade.perfmodel.memory.load_batches import batches, missing_together
from warpgrade.records import CounterSite, Launch

H200 = spec.load(Repository(Path(__file__).resolve().parents[5]), "h200")


def load(line: int, board: int, waits: int = 0) -> Instruction:
    return Instruction("global load", 4, 0, 1, board, waits, line=line)


def other(kind: str = "integer", waits: int = 0, target: int = -1) -> Instruction:
    return Instruction(kind, 0, 0, 1, -1, waits, target)


def of_code(*instructions: Instruction, loops: tuple[Loop, ...] = ()) -> Code:
    return Code("k", instructions, 32, 0, loops)


def test_loads_before_the_first_wait_are_one_batch() -> None:
    code = of_code(load(1, 0), load(2, 1), load(3, 2), other(waits=1), load(4, 3), other("exit"))
    assert batches(code, {1: 7, 2: 7, 3: 8, 4: 7}) == {1: 2, 2: 2, 3: 1, 4: 1}


def test_loads_of_a_loop_are_left_out_also_where_ptxas_unrolled_them() -> None:
    loop = (load(1, 0), load(2, 1), other("branch", target=0))
    code = of_code(*loop, load(1, 0), load(2, 1), load(3, 2), other("exit"), loops=(Loop(0, 2),))
    assert batches(code, {1: 7, 2: 7, 3: 7}) == {3: 1}


def test_of_the_copies_of_a_load_in_a_loop_one_misses_after_the_other() -> None:
    """Four of eight neighbouring words: every second batch waits, whichever word brings the sector."""
    loop = (*(load(1, 0) for _ in range(4)), load(2, 1), other(waits=1), other("branch", target=0))
    code = of_code(*loop, other("exit"), loops=(Loop(0, 6),))
    assert missing_together(code, {1: 7, 2: 8}, {1: 1 / 8, 2: 0.1}) == {1: 0.5, 2: 0.1}


def test_unlike_loads_of_a_loop_miss_together_and_others_by_chance() -> None:
    rows = (load(1, 0), load(2, 0), other(waits=1))
    together = of_code(*rows, other("branch", target=0), loops=(Loop(0, 3),))
    assert missing_together(together, {1: 7, 2: 7}, {1: 0.5, 2: 0.25}) == {1: 0.5, 2: 0.5}
    assert missing_together(of_code(*rows), {1: 7, 2: 7}, {1: 0.5, 2: 0.5}) == {1: 0.75, 2: 0.75}


LAUNCH = Launch(
    "", "k", (1000, 1, 1), (256, 1, 1), {},
    tuple(CounterSite("k.cu", 1, "global load", 1000, ptx_line=line, allocation=1) for line in range(1, 9)),
)  # fmt: skip
TOGETHER = of_code(*(load(line, 0) for line in range(1, 9)), other(waits=1), other("exit"))
APART = of_code(*(each for line in range(1, 9) for each in (load(line, 0), other(waits=1))))


def latency_of(
    code: Code, missing: float, touched: float = 1e9, of_one: bool = False, launch: Launch = LAUNCH
) -> float:
    """Of the first load. `missing`: share of single loads that miss L1; `touched`: bytes of the launch."""
    counts = dict.fromkeys((field.name for field in fields(Traffic)), 0.0)
    waits = {1: (missing, 1.0)}
    known = {"waits": waits, "uncached": {1: 1.0}, "missing": missing, "shared": False}
    found = Traffic(**counts | {"dense_bytes": touched} | known)
    once = 2.0 * H200.cache  # of all allocations
    return latency.load_latencies(launch, found, once, H200, None, True, code, of_one).by_line[1]


def test_a_batch_waits_for_the_one_load_that_misses() -> None:
    """Eight neighbouring bytes: one load in five misses L1, but all eight wait for it."""
    assert latency_of(APART, 0.2) < 0.25 * H200.memory_latency
    assert latency_of(TOGETHER, 0.2) > 0.8 * H200.memory_latency


def test_a_load_of_which_no_request_missed_does_not_wait_for_l2() -> None:
    """Three planes of colours: the first load brings the sectors of the other two."""
    sites = tuple(replace(each, sampled=8, missed=8 * (each.ptx_line == 2)) for each in LAUNCH.sites)
    launch = replace(LAUNCH, sites=sites)
    assert latency_of(APART, 1.0, of_one=True) == H200.memory_latency
    assert latency_of(APART, 1.0, of_one=True, launch=launch) == H200.l1_latency
    assert latency_of(APART, 1.0, launch=launch) == H200.memory_latency  # the slowest load of a block


@pytest.mark.parametrize("missing", [0.0, 1.0])
def test_a_batch_that_always_or_never_misses_waits_as_one_load_does(missing: float) -> None:
    assert latency_of(TOGETHER, missing) == latency_of(APART, missing)


def test_what_a_launch_touches_stays_in_l2_whatever_is_allocated() -> None:
    stays, goes = (latency_of(APART, 1.0, touched * H200.cache, of_one=True) for touched in (0.4, 0.9))
    assert stays < H200.memory_latency == goes
