"""Passes of each access of the machine code through the data pipe, for the simulation of issue.

The launch's counters give the mean of each kind of access. How the accesses of a kind differ is known from
the sites of the PTX that they come from: a warp that waits for a load with conflicts waits for its own.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from ...build.sass import FETCHES, Code, Instruction
from ...gpu.spec import GpuSpec
from ...records import CounterSite, Launch
from ...tables.hardware import WAVEFRONT
from .cache_traffic import Traffic
from .data_pipe import idle_passes, load_wavefronts, shared_passes

_BYTES_A_PASS = 8  # of a lane
_GLOBAL = ("global load", "global store")
_OF_SITES = (*_GLOBAL, "shared load", "shared store", "shared atomic")


def passes_by_number(
    order: Sequence[int], code: Code, launch: Launch, found: Traffic | None, gpu: GpuSpec
) -> dict[int, float]:
    """Number of an instruction → passes. Their mean over all executions in `order` is the launch's mean."""
    means = _means(launch, found, gpu)
    sites: defaultdict[tuple[int, str], list[CounterSite]] = defaultdict(list)
    for site in launch.sites:
        if site.executions and site.ptx_line:
            sites[site.ptx_line, site.kind].append(site)
    executed = Counter(order)
    by_kind: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for number in executed:
        each = code.instructions[number]
        by_kind[each.kind][number] = _alone(each, sites[each.line, each.kind], gpu)
    return {
        number: passes
        for kind, own in by_kind.items()
        for number, passes in _scaled(own, executed, means.get(kind, 1.0)).items()
    }


def _scaled(own: dict[int, float], executed: Counter[int], mean: float) -> dict[int, float]:
    weight = sum(executed[number] for number in own)
    usual = math.fsum(passes * executed[number] for number, passes in own.items()) / weight
    return {number: max(1.0, passes * mean / usual) for number, passes in own.items()}


def _alone(each: Instruction, sites: Sequence[CounterSite], gpu: GpuSpec) -> float:
    """Passes of one access as its site counted them, or without one by its width."""
    least = gpu.fitted.load_request if each.kind == "global load" else 1.0
    if each.kind not in _OF_SITES or not sites:
        return max(least, each.bytes / _BYTES_A_PASS)
    executions = sum(site.executions for site in sites)
    if each.kind in _GLOBAL:
        lanes = sum(site.lanes for site in sites) / executions
        lines = sum(site.lines for site in sites) / executions
        return max(least, lines, lanes * each.bytes / WAVEFRONT)
    return max(least, sum(site.wavefronts for site in sites) / executions)


def _means(launch: Launch, found: Traffic | None, gpu: GpuSpec) -> dict[str, float]:
    """Passes of one instruction, by kind."""
    assert launch.mix is not None
    executed = launch.mix.by_kind
    sums = shared_passes(launch)
    means = {kind: sums[kind] / executed[kind] for kind in sums if executed.get(kind)}
    loaded = (found.passes if found else load_wavefronts(launch)) + idle_passes(launch, "global load")
    each = loaded / max(1.0, sum(executed.get(kind, 0.0) for kind in FETCHES))
    means["global load"] = max(gpu.fitted.load_request, each)
    if "asynchronous copy" in means:
        means["asynchronous copy"] += each
    if found and executed.get("global store"):
        stored = found.store_passes + idle_passes(launch, "global store")
        means["global store"] = stored / executed["global store"]
    return means
