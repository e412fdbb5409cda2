"""Cycles for which a launch's work occupies each resource of an SM, if it did nothing else (model.py).

From the emulator's counters, and with machine code from what that executes (instruction_mix.py).
"""

from __future__ import annotations

import math

from ..gpu.spec import GpuSpec
from ..records import Launch, Mix, Occupancy
from ..tables import nsight
from ..tables.hardware import SECTOR, WAVEFRONT
from .counters import total
from .memory import atomics
from .memory.cache_traffic import Traffic
from .memory.data_pipe import idle_passes, load_wavefronts, shared_wavefronts
from .memory.lane_turns import turn_cycles
from .memory.latency import l1_hits
from .uneven_blocks import most_blocks

# Loads that one warp keeps in flight before it waits; compilers hoist the loads of an unrolled loop.
_LOADS_IN_FLIGHT = 4
# Most loads of a product hit L1, whose latency is about a quarter of L2's on average.
_LATENCY_SHARE = 0.25
# Cycles for which one warp instruction occupies a scheduler's pipe.
_PIPES = {
    "arithmetic": {"ffma": 1, "fp32": 1, "multiply": 2, "wide multiply": 4},
    "integer units": {"integer": 2},
    "special functions": {"special": 8},
    "double precision": {"fp64": 2},
}
# Multiply-adds of halves in the time that a warp's matrix product takes: machine_code.hpp, "mma".
_PRODUCTS = {"mma 16x8x16": 16 * 8 * 16, "mma 16x8x8": 16 * 8 * 8}
LATENCY = "memory latency"
BLOCKS = "block launches"
_GLOBAL_ATOMICS = ("global atomic", "generic atomic")
DATA_PIPE = ("shared memory", "L1 cache")

_ARITHMETIC = (
    nsight.FFMA,
    nsight.FADD,
    nsight.FMUL,
)
_LOCAL_SECTORS = (
    nsight.LOCAL_LOAD_SECTORS,
    nsight.LOCAL_STORE_SECTORS,
)
# Sectors of local memory in a pass: an H200 took 1.03 passes for 4 sectors in a line, 4.6 for 26 by chance.
_LOCAL_SECTORS_A_PASS = 5.0
_ATOMIC_SECTORS = 4  # of one warp's atomic, if no counter gives them


def cycles_by_resource(
    launch: Launch, found: Traffic | None, once: float, gpu: GpuSpec, occupancy: Occupancy | None, alone: bool
) -> dict[str, float]:
    """Cycles of an SM by resource."""
    sms = gpu.sm_count
    stored, local = total(launch, nsight.GLOBAL_STORE_SECTORS), total(launch, *_LOCAL_SECTORS)
    atomic = _atomic_sectors(launch)
    loads = found.passes if found else load_wavefronts(launch)
    idle = idle_passes(launch, "global load", "global store")
    stores = found.store_passes if found else stored * SECTOR / WAVEFRONT
    through_l1 = loads + stores + idle + atomic * SECTOR / WAVEFRONT + local / _LOCAL_SECTORS_A_PASS
    cycles = _mixed(launch, gpu) if launch.mix else _counted(launch, gpu)
    cycles |= {
        "shared memory": shared_wavefronts(launch) * WAVEFRONT / (sms * gpu.shared_bytes),
        "L1 cache": through_l1 * WAVEFRONT / (sms * gpu.l1_bytes) if gpu.l1_bytes else 0.0,  # 0: no L1
        "L2 cache": (
            _written_to_l2(stored, gpu, found)
            + _local_to_l2(launch, gpu)
            + _read_from_l2(launch, once, gpu, found)
        )
        / sms
        + of_atomics(launch, gpu, occupancy),
        "device memory": once / gpu.memory_bytes_per_second * gpu.clock_hz,
        BLOCKS: math.prod(launch.grid) * gpu.cycles_per_block if alone else 0.0,
    }
    if launch.mix:
        bytes_ = once
        if found and alone:
            bytes_ = found.dense_bytes + (gpu.fitted.memory_writes - 1) * found.written_bytes
        scattered = found.scattered_bytes if found and alone else 0.0
        moved = bytes_ / gpu.fitted.memory_reached + scattered / gpu.fitted.scattered_reached
        cycles["device memory"] = moved / gpu.memory_bytes_per_second * gpu.clock_hz
        cycles[LATENCY] = _waiting(launch, launch.mix, gpu, occupancy, alone)
    else:  # Little's law: loads that the resident warps can have in flight
        warps = max(1, occupancy.warps) if occupancy else gpu.limits.warps
        latency = gpu.l2_latency * _LATENCY_SHARE
        requests = total(launch, nsight.GLOBAL_LOAD_REQUESTS, nsight.GLOBAL_ATOMICS)
        cycles[LATENCY] = requests * latency / (sms * warps * _LOADS_IN_FLIGHT)
    return cycles


def of_atomics(launch: Launch, gpu: GpuSpec, occupancy: Occupancy | None) -> float:
    """Cycles that L2 takes for atomics."""
    resident = float(occupancy.blocks) if occupancy else 1.0
    found = atomics.cycles(launch, gpu.sm_count, resident, gpu.fitted)
    return _written_to_l2(_atomic_sectors(launch), gpu, None) / gpu.sm_count if found is None else found


def _written_to_l2(sectors: float, gpu: GpuSpec, found: Traffic | None) -> float:
    """Cycles that one SM's share of L2 takes for stores: for each line and each sector of a request.

    Without footprints, each sector counts as a line of its own. An H200 took 1.70 lines + 1.82 sectors for
    single words 2 to 32 words apart, within 2 %, and 1.40 for each sector that float4 write whole.
    """
    fitted = gpu.fitted
    lines, whole = sectors, 0.0
    if found:
        lines, whole = found.store_lines, found.whole_sectors
        sectors -= found.joined_sectors
    return (
        lines * fitted.l2_write_line
        + (sectors - whole) * fitted.l2_write_sector
        + whole * fitted.l2_write_whole
    )


def _local_to_l2(launch: Launch, gpu: GpuSpec) -> float:
    """The same for stores to local memory, which L1 passes on. Lanes at unlike places write lines of their
    own: an H200 took 8 cycles of an SM for a word that all lanes have at one place, 85 for 26 sectors."""
    fitted, found = gpu.fitted, 0.0
    for site in launch.sites:
        if site.kind == "local store":
            apart = max(0, site.sectors - site.ideal_sectors)
            together = site.sectors - apart
            found += apart * (fitted.l2_write_line + fitted.l2_write_sector)
            found += together * (fitted.l2_write_whole + fitted.l2_write_line * SECTOR / WAVEFRONT)
    return found


def _read_from_l2(launch: Launch, once: float, gpu: GpuSpec, found: Traffic | None) -> float:
    """Cycles that one SM's share of L2 takes for reads."""
    if launch.mix is None:
        return 0.0
    if found:
        return max(found.sectors * SECTOR / gpu.l2_bytes, found.lines / gpu.fitted.l2_lines)
    return total(launch, nsight.GLOBAL_LOAD_SECTORS) * (1 - l1_hits(launch, once)) * SECTOR / gpu.l2_bytes


def _counted(launch: Launch, gpu: GpuSpec) -> dict[str, float]:
    """Cycles from PTX counters alone."""
    instructions = total(launch, nsight.WARP_INSTRUCTIONS)
    return {
        "instruction issue": instructions / (gpu.sm_count * gpu.warp_instructions),
        "arithmetic": total(launch, *_ARITHMETIC) / (gpu.sm_count * gpu.fp32_lanes),
    }


def _mixed(launch: Launch, gpu: GpuSpec) -> dict[str, float]:
    assert launch.mix is not None
    slots = gpu.sm_count * gpu.warp_instructions
    found = {"instruction issue": (launch.mix.instructions + launch.mix.collisions) / slots}
    for pipe, kinds in _PIPES.items():
        found[pipe] = sum(launch.mix.by_kind.get(kind, 0.0) * cost for kind, cost in kinds.items()) / slots
    found["special functions"] += turn_cycles(launch) / slots
    products = sum(launch.mix.by_kind.get(kind, 0.0) * size for kind, size in _PRODUCTS.items())
    found["tensor cores"] = products / (gpu.sm_count * gpu.mma_lanes) if gpu.mma_lanes else 0.0
    return found


def _waiting(launch: Launch, mixed: Mix, gpu: GpuSpec, occupancy: Occupancy | None, alone: bool) -> float:
    """Cycles until all warps have ended, if as many run at a time as the SM holds.

    The mean over all SMs, as for other resources: tail() makes it the time of the SM with the most blocks.
    """
    if occupancy is None or occupancy.warps == 0:
        return 0.0
    resident = float(occupancy.warps)
    if alone:
        of_block = mixed.warps / math.prod(launch.grid)
        resident = min(resident, max(1.0, most_blocks(launch, gpu, occupancy.blocks) * of_block))
    return mixed.warps / gpu.sm_count * (alone_cycles(launch, mixed) + gpu.fitted.block_start) / resident


def alone_cycles(launch: Launch, mixed: Mix) -> float:
    """Cycles of a warp by itself. Each line of a load beyond its first one takes L1 a cycle more."""
    beyond = load_wavefronts(launch) - total(launch, nsight.GLOBAL_LOAD_REQUESTS)
    return mixed.alone + max(0.0, beyond) / mixed.warps


def _atomic_sectors(launch: Launch) -> float:
    by_site = [site for site in launch.sites if site.kind in _GLOBAL_ATOMICS and site.sectors]
    if by_site:
        return float(sum(site.sectors for site in by_site))
    return total(launch, nsight.GLOBAL_ATOMICS) * _ATOMIC_SECTORS
