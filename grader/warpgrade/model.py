"""A first, simple model of a launch's time: the slowest of a few throughputs.

Each resource gets the time that its own work would take if the whole card did nothing else; the
launch takes as long as the slowest. Work comes from the emulator's counters, rates from
grader/gpus/<model>.toml. The model takes the card as full: labs run at small sizes on the
emulator, but their times stand for large ones. It knows neither caches nor what ptxas merges.
"""

from __future__ import annotations

from dataclasses import dataclass

from .gpu import Gpu
from .records import Launch, Occupancy, Size

_SECTOR = 32  # bytes
_FLOAT = 4  # bytes
# Loads that one warp keeps in flight before it waits; compilers hoist the loads of an unrolled loop.
_LOADS_IN_FLIGHT = 4

_ARITHMETIC = (
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
)
_SHARED = (
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
)
_SECTORS = (
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
)
_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
_ATOMICS = "smsp__inst_executed_op_global_atom.sum"  # warps; taken for one sector a lane, and for a load
_WARP = 32
_INSTRUCTIONS = "smsp__inst_executed.sum"
_WAVEFRONT = 128  # bytes


@dataclass(frozen=True)
class ModelledTime:
    milliseconds: float
    bound: str  # the resource that sets it


def launch_time(launch: Launch, size: Size, gpu: Gpu, occupancy: Occupancy | None) -> ModelledTime:
    """Time of one launch for C (m×n) = A (m×k) · B (k×n)."""
    cycles = _cycles(launch, size, gpu, occupancy)
    bound = max(cycles, key=lambda name: cycles[name])
    seconds = cycles[bound] / gpu.clock_hz
    return ModelledTime(seconds * 1e3, bound)


def _cycles(launch: Launch, size: Size, gpu: Gpu, occupancy: Occupancy | None) -> dict[str, float]:
    """Cycles of the card by resource."""
    m, n, k = size

    def total(*names: str) -> float:
        return float(sum(launch.counters.get(name, 0) for name in names))

    sms = gpu.sm_count
    traffic = (total(*_SECTORS) + total(_ATOMICS) * _WARP) * _SECTOR
    once = (m * k + k * n + m * n) * _FLOAT  # each matrix crosses the card's memory at least once
    warps = max(1, occupancy.warps) if occupancy else gpu.limits.warps
    return {
        "instruction issue": total(_INSTRUCTIONS) / (sms * gpu.warp_instructions),
        "arithmetic": total(*_ARITHMETIC) / (sms * gpu.fp32_lanes),
        "shared memory": total(*_SHARED) * _WAVEFRONT / (sms * gpu.shared_bytes),
        "L1 cache": traffic / (sms * gpu.l1_bytes),
        "L2 cache": traffic / (sms * gpu.l2_bytes),
        "device memory": once / gpu.memory_bytes_per_second * gpu.clock_hz,
        # Little's law: what the warps on the card can have under way, each load as far as L2.
        "memory latency": total(_REQUESTS, _ATOMICS) * gpu.l2_latency / (sms * warps * _LOADS_IN_FLIGHT),
    }
