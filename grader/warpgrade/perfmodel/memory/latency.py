"""Cycles from an instruction's issue until its result can be used."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ...build.sass import Code, Instruction
from ...gpu.spec import GpuSpec
from ...records import Launch, Occupancy
from ...tables import nsight
from ...tables.hardware import SECTOR
from ..counters import total
from .cache_traffic import Traffic
from .load_batches import batches, missing_together

# If bytes are loaded more than _REUSE times and are not staged in shared memory, L1 serves the share
# _L1_HITS.
_REUSE, _L1_HITS = 4.0, 0.9
_SPECIAL_LATENCY, _BARRIER_LATENCY, _OTHER_LATENCY = 20, 30, 15  # cycles
_LOADS = ("global load", "generic load", "shared asynchronous copy")


@dataclass(frozen=True)
class LoadLatencies:
    """Latencies of loads from global memory, by line of PTX if that is known."""

    usual: float
    by_line: dict[int, float] = field(default_factory=dict)


def load_latencies(
    launch: Launch,
    found: Traffic | None,
    once: float,
    gpu: GpuSpec,
    occupancy: Occupancy | None,
    alone: bool,
    code: Code,
    of_one: bool = False,
) -> LoadLatencies:
    """`of_one`: of each load of a launch that is repeated, as the simulation of issue draws them; otherwise
    of the slowest load that a block waits for."""
    moved = total(launch, nsight.GLOBAL_LOAD_SECTORS, nsight.GLOBAL_STORE_SECTORS) * SECTOR
    far = min(1.0, once / moved) if moved else 1.0
    queues = _mean(gpu.fitted.l2_idle, gpu.fitted.l2_busy, _full(launch, gpu, occupancy, alone))
    near = queues * gpu.l2_latency * (gpu.fitted.l2_near if of_one else 1.0)
    touched = found.dense_bytes + found.scattered_bytes if found and alone else once
    stays = of_one and touched <= gpu.fitted.l2_kept * gpu.cache  # in L2, from one launch to the next
    if found is None:
        # Lines that all warps of a block load: each warp waits until they have arrived from L2.
        return LoadLatencies(near if l1_hits(launch, once) else _mean(near, gpu.memory_latency, far))

    def of_load(missing: float, from_memory: float) -> float:
        beyond = max(near, gpu.memory_latency)
        of_l2 = near if stays else _mean(near, beyond, from_memory if alone else far)
        return _mean(gpu.l1_latency, of_l2, missing)

    allocations = {
        site.ptx_line: site.allocation
        for site in launch.sites
        if site.ptx_line and site.allocation in found.waits and site.kind in _LOADS
    }
    counted = {
        site.ptx_line: site.missed / site.sampled * found.uncached[site.allocation]
        for site in launch.sites
        if of_one and site.ptx_line in allocations and site.kind in _LOADS and site.sampled
    }
    together, missing = batches(code, allocations), missing_together(code, allocations, counted)

    def of_batch(line: int) -> float:
        share, far = (1 - (1 - each) ** together.get(line, 1) for each in found.waits[allocations[line]])
        return of_load(missing.get(line, share), far)

    return LoadLatencies(of_load(found.missing, found.far), {line: of_batch(line) for line in allocations})


def _full(launch: Launch, gpu: GpuSpec, occupancy: Occupancy | None, alone: bool) -> float:
    """Share of the GPU's resident blocks that the launch fills, at most 1."""
    held = gpu.sm_count * max(1, occupancy.blocks if occupancy else 1)
    return min(1.0, math.prod(launch.grid) / held) if alone else 1.0


def _mean(one: float, other: float, share: float) -> float:
    return one * (1 - share) + other * share


def latency(instruction: Instruction, loads: LoadLatencies, gpu: GpuSpec) -> float:
    """Cycles from issue until the result can be used."""
    load = loads.by_line.get(instruction.line, loads.usual)
    known = {
        "global load": load, "asynchronous copy": load,
        "shared load": gpu.shared_latency, "local load": gpu.l1_latency, "atomic": gpu.l2_latency,
        "shared atomic": 2 * gpu.shared_latency, "special": _SPECIAL_LATENCY, "barrier": _BARRIER_LATENCY,
        "shuffle": gpu.shared_latency,
    }  # fmt: skip
    return float(known.get(instruction.kind, _OTHER_LATENCY))


def l1_hits(launch: Launch, once: float) -> float:
    """Share of the loaded sectors that L1 serves: an estimate, because the emulator has no cache."""
    moved = total(launch, nsight.GLOBAL_LOAD_SECTORS) * SECTOR
    requests = total(launch, nsight.GLOBAL_LOAD_REQUESTS)
    staged = total(launch, nsight.SHARED_STORE_INSTRUCTIONS) > 0.3 * requests
    return 0.0 if staged or moved < _REUSE * once else _L1_HITS
