"""Passes of a launch through the data pipe of its SMs, which serves L1 and shared memory.

From the emulator's counters. Without machine code, corrected for the loads that ptxas is known to merge.
"""

from __future__ import annotations

import math

from ...records import CounterSite, Launch, Mix
from ...tables import nsight
from ...tables.hardware import SECTOR, WAVEFRONT
from ..counters import total

# ptxas merges four neighbouring scalar loads of an unrolled loop into one 128-bit load. Measured on such
# kernels: 3/4 of the wavefronts of loads without bank conflicts are left, 1/4 with 32-way conflicts.
_MERGED, _MERGED_POWER = 0.75, 0.7


def load_wavefronts(launch: Launch) -> float:
    """Passes of global loads through L1: one for each line that a request touches, and for each 128 bytes."""
    by_site = [site for site in launch.sites if site.kind == "global load" and site.executions > 0]
    if nsight.GLOBAL_LOAD_LINES in launch.counters:
        lines = total(launch, nsight.GLOBAL_LOAD_LINES)
    elif by_site:
        lines = sum(site.executions * _lines(site) for site in by_site)
    else:
        requests = total(launch, nsight.GLOBAL_LOAD_REQUESTS)
        lines = (requests + total(launch, nsight.GLOBAL_LOAD_SECTORS)) / 2 if requests else 0.0
    return max(lines, total(launch, nsight.GLOBAL_LOAD_BYTES) / WAVEFRONT)


def _lines(site: CounterSite) -> float:
    """Lines that one request of this site touches, estimated from its sectors: there is no counter for
    them."""
    sectors = site.sectors / site.executions
    if sectors > site.ideal_sectors / site.executions:
        return sectors  # scattered: each in a line of its own
    if sectors >= WAVEFRONT / SECTOR:
        return sectors * SECTOR / WAVEFRONT  # contiguous lanes
    return (1 + sectors) / 2  # rows of a block, or part of a line


def shared_wavefronts(launch: Launch) -> float:
    return sum(shared_passes(launch).values())


def shared_passes(launch: Launch) -> dict[str, float]:
    """Passes through shared memory by kind, at least one for each instruction; loads are corrected for
    merging.

    A shuffle takes one as well: 32 lanes an SM and cycle (CUDA C++ Programming Guide, throughput of
    arithmetic instructions). An atomic takes a pass for each of its wavefronts: an H200 counted 30.6 million
    passes of bytes_counted (grader/tests/gpu/model/exam.cu), whose atomics have 27.6 million of them.
    """
    loads = total(launch, nsight.SHARED_LOAD_WAVEFRONTS)
    stores = total(launch, nsight.SHARED_STORE_WAVEFRONTS)
    by_site = [site for site in launch.sites if site.kind == "shared load" and site.executions > 0]
    if nsight.SHARED_LOAD_WAVEFRONTS in launch.from_cubin:
        pass
    elif launch.mix and by_site:
        loads = _merged(launch.mix, by_site)
    elif by_site:
        loads = sum(site.executions * _passes(site) for site in by_site)
    shuffles = 0.0
    if launch.mix:
        executed = launch.mix.by_kind
        loads = max(loads + idle_passes(launch, "shared load"), executed.get("shared load", 0.0))
        stores = max(stores + idle_passes(launch, "shared store"), executed.get("shared store", 0.0))
        shuffles = executed.get("shuffle", 0.0)
    return {
        "shared load": loads,
        "shared store": stores,
        "shared atomic": math.fsum(site.wavefronts for site in launch.sites if site.kind == "shared atomic"),
        "shuffle": shuffles,
        "asynchronous copy": _copied(launch),
    }


def idle_passes(launch: Launch, *kinds: str) -> float:
    """Passes of accesses of these kinds by warps in which the predicate holds for no lane.

    ptxas makes `if (t < n) s[t] = x;` an access that a predicate guards, which all warps issue. It takes a
    pass even if no lane accesses anything: 1.01 cycles of a full SM on an H200, for stores to shared and to
    global memory.
    """
    if launch.mix is None:
        return 0.0
    found = 0.0
    for kind in kinds:
        accessing = sum(site.executions for site in launch.sites if site.kind == kind)
        issued = launch.mix.by_kind.get(kind, 0.0)
        found += min(launch.mix.guarded.get(kind, 0.0), max(0.0, issued - accessing))
    return found


def _copied(launch: Launch) -> float:
    """Passes of asynchronous copies: one each, and their wavefronts beyond the lines that they load. Those
    lines are passes of L1.

    Measured on an H200.
    """
    lines = math.fsum(site.lines for site in launch.sites if site.kind == "shared asynchronous copy")
    beyond_lines = max(0.0, total(launch, nsight.ASYNC_COPY_WAVEFRONTS) - lines)
    return total(launch, nsight.ASYNC_COPIES) + beyond_lines


def _merged(mixed: Mix, sites: list[CounterSite]) -> float:
    """The wavefronts that PTX counts, if the machine code has as many loads. Otherwise those of its merged
    loads, where a 128-bit load takes at least two.
    """
    wavefronts, executions = sum(site.wavefronts for site in sites), sum(site.executions for site in sites)
    widths = {width: mixed.accesses.get(f"shared load {width}", 0.0) for width in (1, 2, 4, 8, 16)}
    if sum(widths.values()) > 0.97 * executions:
        return float(wavefronts)
    passes = wavefronts / executions
    return sum(times * (max(2.0, passes) if width == 16 else passes) for width, times in widths.items())


def _passes(site: CounterSite) -> float:
    passes = site.wavefronts / site.executions
    wide = site.ideal_wavefronts > site.executions  # more than 128 bytes a warp: a vector load already
    return passes if wide else _MERGED * passes**_MERGED_POWER
