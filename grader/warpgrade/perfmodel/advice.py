"""Advice on a slow kernel: the performance model is evaluated again with less work for one resource.

Each remedy is one sentence: what limits the kernel, what to change, and the speedup that the model predicts.
A remedy is proposed only if the counters show its cause.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ..core import nsight
from ..core.hardware import LINE, SECTOR, WARP
from ..records import CounterSite, Launch, Occupancy
from .model import BLOCKS, LATENCY, ModelledTime, together

_WORTH = 1.05  # smallest predicted speedup for which a change is proposed
_SIDE = 4  # outputs of a thread in each direction, for a kernel that has one now
_TILE, _LARGE_TILE = (
    16,
    32,
)  # elements of a tile's side, for a kernel without tiles: by the threads of a block
# Instructions for each multiply-add of a plain tiled kernel, which needs no 64-bit address for each operand.
_TILED = 2.7
_HALF = 0.5
# Share of a scalar kernel's wavefronts that is left if a thread computes 4×4 outputs: 8 loads for 16 products
# instead of 32.
_FEWER_LOADS = 2.0 / _SIDE / 2.0
_MERGED = 0.75  # passes for each load of a tile: ptxas makes one load of four neighbouring ones
_USUAL_BLOCK = 256  # threads
_LEAN = 1.15  # instructions for one multiply-add in well-tiled kernels


@dataclass(frozen=True)
class Remedy:
    sentence: str
    factor: float  # times as fast


def best(launch: Launch, time: ModelledTime, occupancy: Occupancy | None) -> Remedy:
    """The remedy with the largest speedup. If each is below the minimum, a sentence that says what limits
    the kernel."""
    found = [remedy for remedy in _all(launch, time, occupancy) if remedy.factor >= _WORTH]
    if found:
        return max(found, key=lambda remedy: remedy.factor)
    return Remedy(f"{time.bound} is busy nearly all the time: only less work for it would help", 1.0)


def _all(launch: Launch, time: ModelledTime, occupancy: Occupancy | None) -> Iterator[Remedy]:
    yield from _conflicts(launch, time)
    yield from _scattered(launch, time)
    yield from _no_tile(launch, time)
    yield from _few_outputs(launch, time)
    yield from _empty(time, occupancy)
    yield from _talkative(launch, time)
    yield from _small_blocks(launch, time)


def _faster(time: ModelledTime, **shares: float) -> float:
    """Speedup if only these shares of the cycles of some resources are left."""
    cycles = {name: value * shares.get(name.replace(" ", "_"), 1.0) for name, value in time.cycles.items()}
    return _ratio(time, cycles)


def _ratio(time: ModelledTime, cycles: dict[str, float]) -> float:
    return together(time.cycles, time.overlap) / together(cycles, time.overlap)


def _gain(factor: float) -> str:
    return f"{factor:.1f} times as fast" if factor >= 1.95 else f"{(factor - 1) * 100:.0f} % faster"


def _at(site: CounterSite) -> str:
    return f"line {site.line}" if site.line else "one instruction"


def _worst(launch: Launch, kind: str, units: str) -> CounterSite | None:
    sites = [site for site in launch.sites if site.kind == kind]
    worst = max(sites, key=lambda site: getattr(site, units) - getattr(site, f"ideal_{units}"), default=None)
    if worst is None or getattr(worst, units) < 1.5 * max(1, getattr(worst, f"ideal_{units}")):
        return None
    return worst


def _conflicts(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    for kind in ("shared load", "shared store"):
        worst = _worst(launch, kind, "wavefronts")
        sites = [site for site in launch.sites if site.kind.startswith("shared")]
        if worst is None:
            continue
        all_of_them = sum(site.wavefronts for site in sites)
        left = (all_of_them - worst.wavefronts + worst.ideal_wavefronts) / all_of_them
        factor = _faster(time, shared_memory=left)
        passes = worst.wavefronts / max(1, worst.executions)
        yield Remedy(
            f"bank conflicts: each {kind} of {_at(worst)} takes {passes:.0f} passes; "
            f"one more column in the tile's rows would make it {_gain(factor)}", factor)  # fmt: skip


def _scattered(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    for kind in ("global load", "global store"):
        worst = _worst(launch, kind, "sectors")
        if worst is None:
            continue
        sites = [site for site in launch.sites if site.kind in ("global load", "global store")]
        # An unrolled loop has one site for each of its iterations.
        same = [site for site in sites if (site.kind, site.line) == (worst.kind, worst.line)]
        sectors, passes = sum(site.sectors for site in sites), sum(map(_lines, sites))
        share = 1 - sum(site.sectors - site.ideal_sectors for site in same) / sectors
        lines = 1 - sum(_lines(site) - min(_lines(site), site.executions) for site in same) / passes
        # Data that is accessed repeatedly comes from device memory once, whatever the access pattern.
        far = share if launch.mix and worst.executions <= 2 * launch.mix.warps else 1.0
        factor = _faster(time, L1_cache=lines, L2_cache=share, device_memory=far, memory_latency=share)
        each, wanted = (
            worst.sectors / max(1, worst.executions),
            worst.ideal_sectors / max(1, worst.executions),
        )
        yield Remedy(
            f"uncoalesced: each {kind} of {_at(worst)} touches {each:.0f} sectors, not {wanted:.0f}; "
            f"neighbouring threads on neighbouring words would make it {_gain(factor)}", factor)  # fmt: skip


def _lines(site: CounterSite) -> float:
    return site.lines or max(site.executions, site.sectors / (LINE // SECTOR))


def _no_tile(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    if launch.counters.get(nsight.SHARED_LOAD_INSTRUCTIONS, 0) or not launch.counters.get(nsight.FFMA, 0):
        return
    if time.bound not in ("L1 cache", "L2 cache") or _worst(launch, "global load", "sectors"):
        return
    cycles = dict(time.cycles)
    requests = launch.counters.get(nsight.GLOBAL_LOAD_REQUESTS, 0)
    a_pass = cycles["L1 cache"] / max(1, launch.counters.get(nsight.GLOBAL_LOAD_LINES, requests))
    side = _LARGE_TILE if math.prod(launch.block) >= _LARGE_TILE**2 else _TILE
    cycles["L1 cache"] /= side
    cycles["L2 cache"] /= side
    cycles["shared memory"] = _MERGED * requests * a_pass
    if launch.mix is not None:
        left = min(1.0, _TILED * launch.mix.by_kind.get("ffma", 0.0) / launch.mix.instructions)
        cycles["instruction issue"] *= left
        # Waiting becomes shorter; the time in which a warp issues its own instructions stays.
        own = launch.mix.instructions / (launch.mix.warps * launch.mix.alone) if launch.mix.alone else 0.0
        cycles[LATENCY] *= min(1.0, left * own + 1 / side)
    factor = _ratio(time, cycles)
    yield Remedy(
        f"L1 bounds it: every product loads both operands; tiles of {side}×{side} in shared memory "
        f"would load them {side} times less often: {_gain(factor)}", factor)  # fmt: skip


def _few_outputs(launch: Launch, time: ModelledTime) -> Iterator[Remedy]:
    products = launch.counters.get(nsight.FFMA, 0) / WARP
    loads = launch.counters.get(nsight.SHARED_LOAD_INSTRUCTIONS, 0)
    if not loads or not 0.25 < products / loads <= 2 or time.bound != "shared memory":
        return
    factor = _faster(
        time, shared_memory=_FEWER_LOADS, L1_cache=_HALF, instruction_issue=_HALF, memory_latency=_HALF
    )
    yield Remedy(
        f"shared-memory wavefronts bound it: {loads / max(1.0, products):.1f} loads for each multiply-add; "
        f"{_SIDE}×{_SIDE} outputs a thread, kept in registers, would need a quarter of them: {_gain(factor)}",
        factor)  # fmt: skip


def _empty(time: ModelledTime, occupancy: Occupancy | None) -> Iterator[Remedy]:
    if occupancy is None or time.bound != LATENCY:
        return
    factor = _faster(time, memory_latency=_HALF)
    if occupancy.fraction > _HALF:
        yield Remedy(
            "waiting bounds it: each warp waits for what it loads before it loads more; twice as many "
            f"loads under way, unrolled or a turn ahead, would make it {_gain(factor)}", factor)  # fmt: skip
        return
    yield Remedy(
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
        f"the start of blocks bounds it: {math.prod(launch.grid):,} blocks of {threads} threads; {change} "
        f"would make it {_gain(factor)}", factor)  # fmt: skip
