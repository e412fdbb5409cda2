"""Passes through the data pipe of launches made by hand."""

from __future__ import annotations

import pytest

from warpgrade.perfmodel.memory.data_pipe import idle_passes, shared_wavefronts
from warpgrade.records import CounterSite, Launch, Mix

LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
COPIES = "smsp__inst_executed_op_ldgsts.sum"
COPY_PASSES = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts_cache_access.sum"


def copying(passes: int, lines: int) -> Launch:
    site = CounterSite("k.cu", 1, "shared asynchronous copy", 10, 320, lines=lines)
    counters = {LOADS: 100, COPIES: 10, COPY_PASSES: passes}
    return Launch("", "k", (1, 1, 1), (32, 1, 1), counters, (site,), from_cubin=(LOADS,))


@pytest.mark.parametrize(
    ("passes", "lines", "more"),
    [(40, 40, 0), (110, 80, 30), (0, 40, 0)],  # side by side; into columns; past L1
)
def test_a_copy_passes_once_and_where_it_conflicts(passes: int, lines: int, more: int) -> None:
    assert shared_wavefronts(copying(passes, lines)) == 100 + 10 + more


def test_a_shuffle_passes_once() -> None:
    mixed = Mix(1, 100, 0, {"shuffle": 25.0}, {}, 100, 0)
    assert shared_wavefronts(Launch("", "k", (1, 1, 1), (32, 1, 1), {}, mix=mixed)) == 25


@pytest.mark.parametrize(
    ("accessing", "issued", "guarded", "idle"),
    [
        (10, 40, 40, 30),  # three of four warps have no lane that accesses
        (10, 40, 20, 20),  # of those that no predicate guards, all access
        (40, 40, 40, 0),
        (40, 10, 10, 0),  # four loads of PTX are one of the machine
    ],
)
def test_an_access_passes_where_its_predicate_holds_for_no_lane(
    accessing: int, issued: int, guarded: int, idle: int
) -> None:
    mixed = Mix(1, 100, 0, {"shared load": issued}, {}, 100, 0, {"shared load": guarded})
    site = CounterSite("k.cu", 1, "shared load", accessing, accessing)
    counters = {LOADS: 5 * accessing}
    launch = Launch("", "k", (1, 1, 1), (32, 1, 1), counters, (site,), from_cubin=(LOADS,), mix=mixed)
    assert idle_passes(launch, "shared load") == idle
    assert idle_passes(launch, "shared store") == 0
    assert shared_wavefronts(launch) == 5 * accessing + idle


def test_an_atomic_passes_once_for_each_of_its_wavefronts() -> None:
    sites = tuple(
        CounterSite("k.cu", line, kind, 10, 320, wavefronts=32)
        for line, kind in ((1, "shared atomic"), (2, "shared atomic"), (3, "global atomic"))
    )
    assert shared_wavefronts(Launch("", "k", (1, 1, 1), (32, 1, 1), {}, sites)) == 64
