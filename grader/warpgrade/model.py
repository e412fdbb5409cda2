"""A simple model of a launch's time, calibrated on an H200 (grader/emulator/README.md has the table).

Each resource gets the time that its own work would take if the whole card did nothing else. They
overlap, but not fully: the launch takes a norm of them, close to the largest. Work comes from the
emulator's counters, rates from grader/gpus/<model>.toml. The model takes the card as full: labs run
at small sizes on the emulator, but their times stand for large ones.

What decides nearly all kernels of the labs is one pipe that an SM has: a wavefront of it carries
128 bytes from shared memory or from one line of L1, and there is one a cycle for both together.
"""

from __future__ import annotations

from dataclasses import dataclass

from .gpu import Gpu
from .records import CounterSite, Launch, Occupancy, Size

_SECTOR = 32  # bytes
_FLOAT = 4  # bytes
_WAVEFRONT = 128  # bytes
# How far resources hide behind one another: 1 would add their times up, infinity take the largest.
_NORM = 4
# What a full card reaches of the rates in its table (start, end and barriers cost the rest).
_EFFICIENCY = 0.92
# Loads that one warp keeps in flight before it waits; compilers hoist the loads of an unrolled loop.
_LOADS_IN_FLIGHT = 4
# Most loads of a product hit L1, whose latency is about a quarter of L2's on average.
_LATENCY_SHARE = 0.25
# Sectors that one SM's share of L2 takes of stores and atomics in a cycle.
_L2_WRITES = 0.3
# ptxas makes one 128-bit load of four neighbouring scalar loads of an unrolled loop. Measured on such
# kernels: 3/4 of the wavefronts of loads without conflicts are left, 1/4 of those with 32-way ones.
_MERGED, _MERGED_POWER = 0.75, 0.7

_ARITHMETIC = (
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
)
_SHARED_LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
_SHARED_STORES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
_LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
_STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
_LOCAL_SECTORS = (
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
)
_LOADED_BYTES = "smsp__sass_data_bytes_mem_global_op_ld.sum"
_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
_ATOMICS = "smsp__inst_executed_op_global_atom.sum"  # warps; neighbouring words, and a load each
_ATOMIC_SECTORS = 4  # of one warp's atomic: counters do not say how far apart its lanes are
_INSTRUCTIONS = "smsp__inst_executed.sum"


@dataclass(frozen=True)
class ModelledTime:
    milliseconds: float
    bound: str  # the resource that sets it


def launch_time(launch: Launch, size: Size, gpu: Gpu, occupancy: Occupancy | None) -> ModelledTime:
    """Time of one launch for C (m×n) = A (m×k) · B (k×n)."""
    m, n, k = size
    once = (m * k + k * n + m * n) * _FLOAT  # each matrix crosses the card's memory at least once
    return time_of(launch, once, gpu, occupancy)


def time_of(launch: Launch, once: float, gpu: Gpu, occupancy: Occupancy | None) -> ModelledTime:
    """Time of one launch of any kernel that moves at least `once` bytes through the card's memory."""
    cycles = _cycles(launch, once, gpu, occupancy)
    pipe = cycles["shared memory"] + cycles["L1 cache"]  # one pipe serves both
    others = [time for name, time in cycles.items() if name not in ("shared memory", "L1 cache")]
    largest = max(pipe, *others)
    bound = max(cycles, key=lambda name: cycles[name])
    if pipe == largest:
        bound = max(("shared memory", "L1 cache"), key=lambda name: cycles[name])
    norm = sum(time**_NORM for time in (pipe, *others)) ** (1 / _NORM)
    return ModelledTime(norm / _EFFICIENCY / gpu.clock_hz * 1e3, bound)


def _cycles(launch: Launch, once: float, gpu: Gpu, occupancy: Occupancy | None) -> dict[str, float]:
    """Cycles of the card by resource."""

    def total(*names: str) -> float:
        return float(sum(launch.counters.get(name, 0) for name in names))

    sms = gpu.sm_count
    warps = max(1, occupancy.warps) if occupancy else gpu.limits.warps
    written = total(_STORE_SECTORS) + total(_ATOMICS) * _ATOMIC_SECTORS
    through_l1 = _load_wavefronts(launch) + (written + total(*_LOCAL_SECTORS)) * _SECTOR / _WAVEFRONT
    latency = gpu.l2_latency * _LATENCY_SHARE
    return {
        "instruction issue": total(_INSTRUCTIONS) / (sms * gpu.warp_instructions),
        "arithmetic": total(*_ARITHMETIC) / (sms * gpu.fp32_lanes),
        "shared memory": _shared_wavefronts(launch) * _WAVEFRONT / (sms * gpu.shared_bytes),
        "L1 cache": through_l1 * _WAVEFRONT / (sms * gpu.l1_bytes),
        "L2 cache": written / (sms * _L2_WRITES),
        "device memory": once / gpu.memory_bytes_per_second * gpu.clock_hz,
        # Little's law: what the warps on the card can have under way.
        "memory latency": total(_REQUESTS, _ATOMICS) * latency / (sms * warps * _LOADS_IN_FLIGHT),
    }


def _load_wavefronts(launch: Launch) -> float:
    """Passes of global loads through L1: one for each line that a request touches, and for each 128 bytes."""
    by_site = [site for site in launch.sites if site.kind == "global load" and site.executions > 0]
    if by_site:
        lines = sum(site.executions * _lines(site) for site in by_site)
    else:
        requests = launch.counters.get(_REQUESTS, 0)
        lines = (requests + launch.counters.get(_LOAD_SECTORS, 0)) / 2 if requests else 0.0
    return max(lines, launch.counters.get(_LOADED_BYTES, 0) / _WAVEFRONT)


def _lines(site: CounterSite) -> float:
    """Lines that one request of this site touches, from its sectors; counters do not tell them apart."""
    sectors = site.sectors / site.executions
    if sectors > site.ideal_sectors / site.executions:
        return sectors  # scattered: each in a line of its own
    if sectors >= _WAVEFRONT / _SECTOR:
        return sectors * _SECTOR / _WAVEFRONT  # lanes side by side
    return (1 + sectors) / 2  # rows of a block, or part of a line


def _shared_wavefronts(launch: Launch) -> float:
    """Passes through shared memory, loads corrected for what ptxas merges."""
    loads = float(launch.counters.get(_SHARED_LOADS, 0))
    by_site = [site for site in launch.sites if site.kind == "shared load" and site.executions > 0]
    if by_site:
        loads = sum(site.executions * _passes(site) for site in by_site)
    return loads + launch.counters.get(_SHARED_STORES, 0)


def _passes(site: CounterSite) -> float:
    passes = site.wavefronts / site.executions
    wide = site.ideal_wavefronts > site.executions  # more than 128 bytes a warp: a vector load already
    return passes if wide else _MERGED * passes**_MERGED_POWER
