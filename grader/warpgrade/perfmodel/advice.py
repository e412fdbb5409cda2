"""Advice on a slow kernel: the performance model is evaluated again with less work for one resource.

Each remedy is one sentence: what limits the kernel, what to change, and the speedup that the model predicts.
A remedy is proposed only if the counters show its cause.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from ..records import CounterSite, Launch, Occupancy
from ..tables import nsight
from ..tables.hardware import LINE, SECTOR, WARP
from .model import ModelledTime, together
from .resources import BLOCKS, LATENCY

_WORTH = 1.05  # smallest predicted speedup for which a change is proposed
_REPAIR_FIRST = 1.15  # predicted speedup from which on a repair comes before any rewrite
_TOO_MUCH = 1.5  # times the ideal cost of an access from which on it is repaired
_OF_ONE_WORD = 2  # most sectors of a warp's access if the threads of a row read the same word
_GLOBAL, _SHARED = ("global load", "global store"), ("shared load", "shared store")  # kinds of accesses
_SIDE = 4  # outputs of a thread in each direction, for a kernel that has fewer now
_HAS_THEM = 0.75  # share of these outputs from which on a thread has as many, but for the border
# Sides of a proposed tile, for a kernel without one. Large if a block has a thread for each of its elements.
_TILE, _LARGE_TILE = 16, 32
# Instructions for each multiply-add of a plain tiled kernel, which needs no 64-bit address for each operand.
_TILED = 2.7
_HALF = 0.5
_ONE = 1.5  # outputs of a thread, on average, below which it has one
_MERGED = 0.75  # passes for each load of a tile: ptxas makes one load of four neighbouring ones
# Share of the waiting for L1 that is left: an unrolled loop waits for shared memory once for four products.
_BATCHED = 0.2
_USUAL_BLOCK = 256  # threads
_WORD = 4  # bytes
_LEAN = 1.15  # instructions for one multiply-add in well-tiled kernels


@dataclass(frozen=True)
class Remedy:
    name: str  # "uncoalesced"; empty where nothing is proposed
    sentence: str
    factor: float  # times as fast


def best(launch: Launch, time: ModelledTime, occupancy: Occupancy | None) -> Remedy:
    """The remedy with the largest speedup. Repairs of accesses come before rewrites, as a rewritten kernel
    would have the same fault. If no remedy is worth proposing, a sentence that says what limits the kernel.
    """
    repairs = [remedy for remedy in _repairs(launch, time) if remedy.factor >= _REPAIR_FIRST]
    found = [remedy for remedy in _all(launch, time, occupancy) if remedy.factor >= _WORTH]
    if repairs or found:
        return max(repairs or found, key=lambda remedy: remedy.factor)
    return Remedy("", f"{time.bound} is busy nearly all the time: only less work for it would help", 1.0)


def _all(launch: Launch, time: ModelledTime, occupancy: Occupancy | None) -> Iterator[Remedy]:
    yield from _repairs(launch, time)
    yield from _no_tile(launch, time)
    yield from _few_outputs(launch, time)
    yield from _empty(time, occupancy)
    yield from _talkative(launch, time)
    yield from _small_blocks(launch, time)


def _repairs(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    conflicts, scattered = list(_conflicts(launch, time)), list(_scattered(launch, time))
    if conflicts and scattered and _is_exchanged(launch):  # one cause of both
        yield _exchanged(launch, time)
        return
    yield from conflicts
    yield from scattered


def _faster(time: ModelledTime, **shares: float) -> float:
    """Speedup if only these shares of the cycles of some resources are left."""
    cycles = {name: value * shares.get(name.replace(" ", "_"), 1.0) for name, value in time.cycles.items()}
    return _ratio(time, cycles)


def _ratio(time: ModelledTime, cycles: dict[str, float]) -> float:
    return together(time.cycles, time.overlap) / together(cycles, time.overlap)


def _gain(factor: float) -> str:
    return f"{factor:.1f} times as fast" if factor >= 1.95 else f"{(factor - 1) * 100:.0f} % faster"


@dataclass(frozen=True)
class _Accesses:
    """All accesses of one kind to one array at one line: an unrolled loop has a site for each iteration."""

    kind: str
    line: int  # 0: not known
    sites: tuple[CounterSite, ...]

    def total(self, unit: str) -> float:
        return float(sum(getattr(site, unit) for site in self.sites))

    @property
    def place(self) -> str:
        return f"line {self.line}" if self.line else "one instruction"

    def costs_too_much(self, unit: str) -> bool:
        return self.total(unit) >= _TOO_MUCH * max(1.0, self.total(f"ideal_{unit}"))

    def excess(self, unit: str) -> float:
        return self.total(unit) - self.total(f"ideal_{unit}")

    def each(self, unit: str) -> float:
        return self.total(unit) / max(1.0, self.total("executions"))


def _accesses(launch: Launch, kinds: Sequence[str]) -> list[_Accesses]:
    """Grouped by kind, line and array. An access whose line is not known is a group of its own."""
    found: dict[tuple[str, int, int, int], list[CounterSite]] = {}
    for number, site in enumerate(launch.sites):
        if site.kind in kinds:
            key = (site.kind, site.line, site.allocation, 0 if site.line else number)
            found.setdefault(key, []).append(site)
    return [_Accesses(kind, line, tuple(sites)) for (kind, line, *_), sites in found.items()]


def _to_repair(accesses: Sequence[_Accesses], unit: str) -> list[_Accesses]:
    """Accesses that cost more than they need, the worst first."""
    bad = (each for each in accesses if each.costs_too_much(unit))
    return sorted(bad, key=lambda each: -each.excess(unit))


def _others(bad: Sequence[_Accesses]) -> str:
    """How many accesses are repaired besides the worst one."""
    return f", and {len(bad) - 1} more like it" if len(bad) > 1 else ""


def _conflicts(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    bad = _to_repair(_accesses(launch, _SHARED), "wavefronts")
    if not bad:
        return
    factor = _faster(time, shared_memory=_conflict_free(launch))
    yield Remedy(
        "bank-conflicts",
        f"bank conflicts: each {bad[0].kind} of {bad[0].place} takes {bad[0].each('wavefronts'):.0f} passes"
        f"{_others(bad)}; "
        f"one more column in the tile's rows would make it {_gain(factor)}", factor)  # fmt: skip


def _is_exchanged(launch: Launch) -> bool:
    """Whether threads along x go down columns in every access to global memory, as if x and y were exchanged.
    Loads of one word by all threads do not count.
    """
    accesses = _accesses(launch, _GLOBAL)
    bad = _to_repair(accesses, "sectors")
    others = (each for each in accesses if each not in bad)
    return {each.kind for each in bad} == set(_GLOBAL) and all(
        each.kind == "global load" and each.each("sectors") <= _OF_ONE_WORD for each in others
    )


def _exchanged(launch: Launch, time: ModelledTime) -> Remedy:
    worst = _to_repair(_accesses(launch, _GLOBAL), "sectors")[0]
    factor = _coalesced(launch, time, _conflict_free(launch))
    return Remedy(
        "x-and-y-exchanged",
        f"x and y are exchanged: neighbouring threads, whose threadIdx.x differs by 1, go down columns, in "
        f"the {worst.kind} of {worst.place} and in every other access; with threadIdx.x for the column and "
        f"threadIdx.y for the row it would be {_gain(factor)}", factor)  # fmt: skip


def _scattered(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    bad = _to_repair(_accesses(launch, _GLOBAL), "sectors")
    if not bad:
        return
    factor = _coalesced(launch, time, _without_conflicts(launch, {each.line for each in bad}))
    yield Remedy(
        "uncoalesced",
        f"uncoalesced: each {bad[0].kind} of {bad[0].place} touches {bad[0].each('sectors'):.0f} sectors, "
        f"not {bad[0].each('ideal_sectors'):.0f}{_others(bad)}; neighbouring threads on neighbouring words "
        f"would make it {_gain(factor)}", factor)  # fmt: skip


def _coalesced(launch: Launch, time: ModelledTime, shared: float) -> float:
    """Speedup if each access to global memory takes no more sectors and lines than it needs. `shared`: the
    share of the passes of shared memory that is left.
    """
    accesses = _accesses(launch, _GLOBAL)
    bad = _to_repair(accesses, "sectors")
    sectors = sum(each.total("sectors") for each in accesses)
    passes = sum(_lines(site) for each in accesses for site in each.sites)
    share = 1 - sum(each.excess("sectors") for each in bad) / sectors
    lines = _lines_of_a_row(launch)
    saved = sum(
        _lines(site) - min(_lines(site), lines * site.executions) for each in bad for site in each.sites
    )
    # Data that is accessed repeatedly comes from device memory once, whatever the access pattern.
    most = max(site.executions for site in bad[0].sites)
    once = time.alone and launch.mix and most <= 2 * launch.mix.warps
    return _faster(
        time,
        L1_cache=1 - saved / passes,
        L2_cache=share,
        device_memory=share if once else 1.0,
        shared_memory=shared,
    )


def _lines_of_a_row(launch: Launch) -> int:
    """Lines of a coalesced access: a warp of a narrow block stands in several rows, which lie apart."""
    return max(1, WARP // launch.block[0]) if len(launch.block) > 1 and launch.block[1] > 1 else 1


def _conflict_free(launch: Launch) -> float:
    """Share of the wavefronts of shared memory that is left without any conflict."""
    return _without_conflicts(launch, {each.line for each in _accesses(launch, _SHARED)})


def _without_conflicts(launch: Launch, lines: Set[int]) -> float:
    """Share of the wavefronts of shared memory that is left if no access at these lines has a conflict.

    A thread that loads another element from global memory stores another one to shared memory at that line.
    """
    accesses = _accesses(launch, _SHARED)
    whole = sum(each.total("wavefronts") for each in accesses)
    bad = (each for each in _to_repair(accesses, "wavefronts") if each.line in lines)
    return 1 - sum(each.excess("wavefronts") for each in bad) / whole if whole else 1.0


def _lines(site: CounterSite) -> float:
    return site.lines or max(site.executions, site.sectors / (LINE // SECTOR))


def _no_tile(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    if launch.counters.get(nsight.SHARED_LOAD_INSTRUCTIONS, 0) or not launch.counters.get(nsight.FFMA, 0):
        return
    if time.bound not in ("L1 cache", "L2 cache") or _to_repair(
        _accesses(launch, ("global load",)), "sectors"
    ):
        return
    cycles = dict(time.cycles)
    requests = launch.counters.get(nsight.GLOBAL_LOAD_REQUESTS, 0)
    a_pass = cycles["L1 cache"] / max(1, launch.counters.get(nsight.GLOBAL_LOAD_LINES, requests))
    side = _LARGE_TILE if math.prod(launch.block) >= _LARGE_TILE**2 else _TILE
    cycles["L1 cache"] /= side
    cycles["L2 cache"] /= side
    cycles["shared memory"] = (_MERGED + 1 / side) * requests * a_pass  # loads, and the stores of each tile
    if launch.mix is not None:
        left = min(1.0, _TILED * launch.mix.by_kind.get("ffma", 0.0) / launch.mix.instructions)
        cycles["instruction issue"] *= left
        # Waiting becomes shorter; the time in which a warp issues its own instructions stays.
        own = launch.mix.instructions / (launch.mix.warps * launch.mix.alone) if launch.mix.alone else 0.0
        cycles[LATENCY] *= min(1.0, left * own + 1 / side + _BATCHED)
    factor = _ratio(time, cycles)
    yield Remedy(
        "no-tiles",
        f"L1 bounds it: every product loads both operands; tiles of {side}×{side} in shared memory "
        f"would load them {side} times less often: {_gain(factor)}", factor)  # fmt: skip


def _outputs(launch: Launch) -> float:
    """Words that a thread stores."""
    stored = launch.counters.get(nsight.GLOBAL_STORE_BYTES, 0) + launch.counters.get(
        nsight.GLOBAL_ATOMIC_BYTES, 0
    )
    return stored / _WORD / math.prod((*launch.grid, *launch.block))


def _few_outputs(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    products = launch.counters.get(nsight.FFMA, 0) / WARP
    loads = launch.counters.get(nsight.SHARED_LOAD_INSTRUCTIONS, 0)
    if not loads or not 0.25 < products / loads <= 2 or time.bound != "shared memory":
        return
    outputs = max(1.0, _outputs(launch))
    if outputs >= _HAS_THEM * _SIDE**2:
        return
    # A square of outputs takes two loads for each product, divided by its side.
    share = math.sqrt(outputs) / _SIDE
    less = max(_HALF, share)
    factor = _faster(time, shared_memory=share, L1_cache=less, instruction_issue=less, memory_latency=less)
    left = "a quarter" if outputs < _ONE else f"{share * 100:.0f} %"
    yield Remedy(
        "few-outputs",
        f"shared-memory wavefronts bound it: {loads / max(1.0, products):.1f} loads for each multiply-add; "
        f"{_SIDE}×{_SIDE} outputs a thread, kept in registers, would need {left} of them: {_gain(factor)}",
        factor)  # fmt: skip


def _empty(time: ModelledTime, occupancy: Occupancy | None) -> Iterator[Remedy]:
    if occupancy is None or time.bound != LATENCY:
        return
    factor = _faster(time, memory_latency=_HALF)
    if occupancy.fraction > _HALF:
        yield Remedy(
            "loads-in-flight",
            "waiting bounds it: each warp waits for what it loads before it loads more; twice as many "
            f"loads under way, unrolled or a turn ahead, would make it {_gain(factor)}", factor)  # fmt: skip
        return
    yield Remedy(
        "low-occupancy",
        f"waiting bounds it: {occupancy.warps} of {occupancy.most_warps} warps fit on an SM "
        f"({occupancy.limiter}); twice as many would make it {_gain(factor)}", factor)  # fmt: skip


def _talkative(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    """Instructions other than multiply-adds, and register bank conflicts."""
    if launch.mix is None or time.bound != "instruction issue":
        return
    products = launch.mix.by_kind.get("ffma", 0.0)
    if products < 0.1 * launch.mix.instructions:
        return
    slots = launch.mix.instructions + launch.mix.collisions
    factor = _faster(time, instruction_issue=min(1.0, _LEAN * products / slots))
    others = launch.mix.instructions / products - 1
    yield Remedy(
        "issue",
        f"the issue of instructions bounds it: {others:.2f} others for each multiply-add, and "
        f"{launch.mix.collisions / products:.2f} cycles of registers in one bank; more outputs a thread and "
        f"128-bit loads could make it up to {_gain(factor)}", factor)  # fmt: skip


def _small_blocks(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    """Blocks that end before the GPU has started the next ones."""
    threads = math.prod(launch.block)
    if time.bound != BLOCKS:
        return
    left = min(_HALF, threads / _USUAL_BLOCK)
    factor = _faster(time, block_launches=left)
    change = f"blocks of {_USUAL_BLOCK} threads" if threads < _USUAL_BLOCK else "twice the work a thread"
    yield Remedy(
        "small-blocks",
        f"the start of blocks bounds it: {math.prod(launch.grid):,} blocks of {threads} threads; {change} "
        f"would make it {_gain(factor)}", factor)  # fmt: skip
