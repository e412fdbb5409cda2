"""How the passes of a kind of access are divided among the instructions of the machine code."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.build.sass import Code, Instruction
from warpgrade.core.paths import Repository
from warpgrade.gpu import spec
from warpgrade.perfmodel.memory.access_passes import passes_by_number
from warpgrade.records import CounterSite, Launch, Mix
from warpgrade.tables import nsight

H200 = spec.load(Repository(Path(__file__).resolve().parents[5]), "h200")
TIMES = 100


def load(kind: str, width: int, line: int) -> Instruction:
    return Instruction(kind, width, 0, 1, 0, 0, line=line)


def site(kind: str, line: int, wavefronts: int = 0, lines: int = 0) -> CounterSite:
    return CounterSite(
        "k.cu", line, kind, TIMES, lanes=32 * TIMES, wavefronts=wavefronts, lines=lines, ptx_line=line
    )


def passes(own: tuple[Instruction, ...], sites: tuple[CounterSite, ...]) -> dict[int, float]:
    executed = {kind: float(TIMES * sum(each.kind == kind for each in own)) for kind in (own[0].kind,)}
    loads = sum(each.wavefronts for each in sites if each.kind == "shared load")
    lines = sum(each.lines for each in sites)
    counters = {nsight.SHARED_LOAD_WAVEFRONTS: loads, nsight.GLOBAL_LOAD_LINES: lines}
    mixed = Mix(TIMES, TIMES * len(own), 0.0, executed, {}, 0.0, 0.0)
    merged = (nsight.SHARED_LOAD_WAVEFRONTS,)
    launch = Launch("", "k", (1, 1, 1), (32, 1, 1), counters, sites, mix=mixed, from_cubin=merged)
    order = tuple(range(len(own))) * 3
    return passes_by_number(order, Code("k", own, 32, 0), launch, None, H200)


def test_each_shared_load_has_the_passes_of_its_line() -> None:
    """One load reads the same words in all lanes, the other has conflicts: not the mean of both."""
    own = (load("shared load", 16, 1), load("shared load", 16, 2))
    counted = (site("shared load", 1, 2 * TIMES), site("shared load", 2, 8 * TIMES))
    assert passes(own, counted) == pytest.approx({0: 2.0, 1: 8.0})


def test_each_global_load_has_the_lines_of_its_own() -> None:
    own = (load("global load", 4, 1), load("global load", 4, 2))
    counted = (site("global load", 1, lines=2 * TIMES), site("global load", 2, lines=16 * TIMES))
    assert passes(own, counted) == pytest.approx({0: 2.0, 1: 16.0})


def test_loads_of_no_site_differ_by_their_width() -> None:
    own = (load("shared load", 16, 1), load("shared load", 4, 2))
    found = passes(own, (site("shared load", 3, 3 * TIMES),))
    assert found == pytest.approx({0: 2.0, 1: 1.0})


def test_each_atomic_in_shared_memory_has_the_passes_of_its_line() -> None:
    own = (load("shared atomic", 0, 1), load("shared atomic", 0, 2))
    counted = (site("shared atomic", 1, TIMES), site("shared atomic", 2, 5 * TIMES))
    assert passes(own, counted) == pytest.approx({0: 1.0, 1: 5.0})
