"""A GPU as data: the rates in grader/gpus/<model>.toml that the performance model needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core import toml
from ..core.errors import InstructorError, UsageError
from ..core.paths import Repository
from ..course import arithmetic
from .occupancy import SmLimits, limits_of

_SCHEMA = Path(__file__).with_name("gpu.schema.json")
_TABLE = "fitted"


@dataclass(frozen=True)
class Fitted:
    """Constants of the model of time, fitted to kernels that ran on a GPU: [fitted] of its data sheet.

    docs/performance-model.md says what each one stands for and how to calibrate another GPU.
    """

    of: str  # name of the GPU
    overlap: float
    waiting_overlap: float
    blocks_overlap: float
    few_warps: float
    last_round: float
    reached: float
    ptx_overlap: float
    ptx_waiting_overlap: float
    ptx_reached: float
    memory_reached: float
    memory_writes: float
    scattered_reached: float
    l2_write_line: float
    l2_write_sector: float
    l2_write_whole: float
    l2_lines: float
    l2_idle: float
    l2_busy: float
    block_start: float
    bank_conflict: float
    bulk_copy: float
    data_queue: float
    data_queue_cycles: float
    data_entry: float
    barrier: float
    constant_latency: float
    load_request: float
    l2_near: float
    l2_spread: float
    next_block: float
    sm_spread: float
    l1_kept: float
    l2_kept: float
    l1_tags: float
    scattered_bytes: float
    atomic_line: float
    atomic_sector: float
    atomic_turn: float
    atomic_lane: float
    atomic_float: float
    atomic_request: float
    slice_lines: float
    slices: float
    mean_error: Mapping[str, float]  # of the kernels that were compared, by the resource that bounds them
    kinds: frozenset[str]  # of instructions that these kernels executed


@dataclass(frozen=True)
class GpuSpec:
    """Rates are of one SM and clock cycle unless the name says otherwise; latencies are in cycles."""

    model: str
    name: str
    compute_capability: str
    sm_count: int
    clock_hz: float
    memory_bytes_per_second: float
    host_bytes_per_second: float  # of the bus to the host, in each direction
    warp_instructions: float
    fp32_lanes: float
    tensor_lanes: float  # multiply-adds of halves; 0: no tensor cores
    mma_lanes: float  # the same, as many as mma.sync and wmma reach
    shared_bytes: float
    l1_bytes: float
    l2_bytes: float
    l1: float  # bytes of L1 and shared memory
    cache: float  # L2 of the whole GPU, bytes
    shared_latency: float
    l1_latency: float
    l2_latency: float
    memory_latency: float
    launch_seconds: float
    cycles_per_block: float  # between the starts of two blocks on the GPU; 0: unknown
    calibrated: bool
    limits: SmLimits
    fitted: Fitted

    @property
    def architecture(self) -> str:
        return architecture_of(self.compute_capability)

    @property
    def peak_gflops(self) -> float:
        """Peak of the whole GPU in single precision; a fused multiply-add counts as two operations."""
        return self.peak_gflops_of(tensor_cores=False)

    @property
    def l2_gigabytes_per_second(self) -> float:
        """What L2 delivers to all SMs together."""
        return self.l2_bytes * self.sm_count * self.clock_hz / 1e9

    def peak_gflops_of(self, tensor_cores: bool) -> float:
        """Peak of the tensor cores, for half-precision factors. Without such cores: of single precision."""
        lanes = self.tensor_lanes if tensor_cores and self.tensor_lanes else self.fp32_lanes
        return arithmetic.peak_gflops(self.sm_count, lanes, self.clock_hz / 1e9)


def architecture_of(compute_capability: str) -> str:
    """ptxas's name of it: "9.0" → "sm_90". At least sm_75, the oldest that nvcc 13 supports."""
    major, minor = map(int, compute_capability.split("."))
    return f"sm_{max(10 * major + minor, 75)}"


def file_name(name: str) -> str:
    """The file that holds measurements on that GPU: NVIDIA H200 → h200.json."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-").removeprefix("nvidia-") + ".json"


def load(repository: Repository, model: str) -> GpuSpec:
    """The data sheet of a model. UsageError if there is none, InstructorError if it does not satisfy the
    schema.
    """
    file = repository.gpus / f"{model}.toml"
    if not file.is_file() or model == "compute_capability":
        models = sorted(
            path.stem for path in repository.gpus.glob("*.toml") if path.stem != "compute_capability"
        )
        raise UsageError(f"there is no GPU model {model!r}", remedy=f"the models are: {', '.join(models)}")
    return _gpu(repository, model, toml.load(file, _SCHEMA).data)


def _gpu(repository: Repository, model: str, row: dict[str, Any]) -> GpuSpec:
    return GpuSpec(
        model=model,
        name=row["name"],
        compute_capability=row["compute_capability"],
        sm_count=row["sm_count"],
        clock_hz=row["clock_mhz"] * 1e6,
        memory_bytes_per_second=float(row["memory_bytes_per_second"]),
        host_bytes_per_second=float(row["host_bytes_per_second"]),
        warp_instructions=float(row["warp_instructions"]),
        fp32_lanes=float(row["fp32_lanes"]),
        tensor_lanes=float(row["tensor_lanes"]),
        mma_lanes=float(row["mma_lanes"]),
        shared_bytes=float(row["shared_bytes"]),
        l1_bytes=float(row["l1_bytes"]),
        l2_bytes=float(row["l2_bytes_per_clock"]),
        l1=float(row["l1_bytes_per_sm"]),
        cache=float(row["l2_bytes"]),
        shared_latency=float(row["shared_latency"]),
        l1_latency=float(row["l1_latency"]),
        l2_latency=float(row["l2_latency"]),
        memory_latency=float(row["memory_latency"]),
        launch_seconds=float(row["launch_microseconds"]) * 1e-6,
        cycles_per_block=float(row["cycles_per_block"]),
        calibrated=bool(row["calibrated"]),
        limits=limits_of(repository.gpus, row["compute_capability"]),
        fitted=_fitted(repository, row),
    )


def _fitted(repository: Repository, row: dict[str, Any]) -> Fitted:
    """The sheet's own table, otherwise the one of the first sheet that has one."""
    sheets = (toml.parsed(file.read_bytes())[1] for file in sorted(repository.gpus.glob("*.toml")))
    own = row if _TABLE in row else next((sheet for sheet in sheets if _TABLE in sheet), None)
    if own is None:
        raise InstructorError("no GPU has a table [fitted]", file=repository.gpus)
    table = dict(own[_TABLE])
    error, kinds = table.pop("mean_error"), frozenset(table.pop("kinds"))
    return Fitted(
        of=own["name"], mean_error=error, kinds=kinds, **{name: float(x) for name, x in table.items()}
    )
