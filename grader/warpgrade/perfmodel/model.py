"""A model of a launch's time (docs/performance-model.md). Constants that were fitted to a GPU are in its
data sheet: gpu.fitted.

Each resource of an SM gets the time that its own work would take if the SM did nothing else. They overlap,
but not fully: the launch takes a norm of them, close to the largest. Work comes from the emulator's counters
and, with machine code, from what that executes (instruction_mix.py); rates come from
grader/gpus/<model>.toml.

- Tensor cores: multiply-adds of mma.sync and wmma, at the rate that such instructions reach (mma_lanes).
- Issue: one warp instruction for each scheduler and cycle, and one more cycle for a register bank conflict.
- One data pipe for shared memory and L1: a wavefront of it carries 128 bytes, or one line.
- Latency: the time of a warp alone for its instructions and their waiting; the resident warps of an SM
  overlap, unless barriers hold those of the only block together.
- Blocks are not divided: the SM with the most blocks determines the time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..build.sass import Code
from ..course.work import AmountOfWork
from ..gpu.spec import GpuSpec
from ..records import Launch, Mix, Occupancy
from ..tables import nsight
from ..tables.hardware import SECTOR, WARP
from .counters import total
from .machine_code.instruction_mix import Penalties, mix
from .memory.cache_traffic import traffic
from .memory.latency import latency, load_latencies
from .resources import BLOCKS, DATA_PIPE, LATENCY, alone_cycles, cycles_by_resource, of_atomics
from .uneven_blocks import busy_blocks, imbalance, most_blocks, tail, unevenness

# A warp that prefetches idles for less than _GAPS of its time, so that there is less to overlap.
_GAPS = 0.3
# Power by which register bank conflicts cost less, the closer the data pipe is to being as busy as issue.
_PIPE_FULL = 8
# Least number of a scheduler's other warps: keeps the power of _overlap() finite if there is only one warp.
_ANOTHER_WARP = 0.05
# Power of the norm of issue and the pipes behind it. High: instructions wait only for pipes that are full.
_PIPES_TOGETHER = 8
_ISSUE_PIPES = frozenset({"integer units", "special functions", "double precision"})  # besides "arithmetic"
_FAR = ("L2 cache", "device memory")
_ALL = 0.9  # a resource with a larger share of the time takes nearly all of it
SIMULATED = 2 / 3  # power of the simulated time in its geometric mean with the norm
_WAITS = 0.8  # largest share of a warp's time alone that is waiting


@dataclass(frozen=True)
class Overlap:
    """How far the times of an SM's resources overlap.

    `power`: of the norm of an SM's pipes, and of the norm of these with L2 and device memory.
    `latency_power`: of the norm of its pipes with waiting.
    `turn`: share of the SM's work that does not overlap with a warp's waiting, as barriers hold its block
    together.
    `collisions`: share of the cycles of issue in which operands wait for a register bank.
    """

    power: float
    latency_power: float
    turn: float = 0.0
    collisions: float = 0.0


@dataclass(frozen=True)
class ModelledTime:
    milliseconds: float
    bound: str  # the resource that sets it
    cycles: dict[str, float]  # of an SM, by resource
    overlap: Overlap
    alone: bool = False  # the launch runs by itself: its traffic with device memory is what it causes
    atomics: float = 0.0  # cycles of L2 that are those of atomics


def with_mix(
    launch: Launch,
    code: Code,
    once: float,
    gpu: GpuSpec,
    occupancy: Occupancy | None = None,
    alone: bool = False,
) -> Launch:
    """The launch with what its machine code executed."""
    found = traffic(launch, gpu, occupancy, alone)
    loads = load_latencies(launch, found, once, gpu, occupancy, alone, code)
    passing = 0.0
    if found and found.requests:
        passing = found.sectors / found.requests * SECTOR * _warps(launch) / gpu.l2_bytes
    penalties = Penalties(gpu.fitted.bank_conflict, gpu.fitted.bulk_copy)
    mixed = mix(code, launch, lambda instruction: latency(instruction, loads, gpu), passing, penalties)
    return replace(launch, mix=mixed)


def launch_time(
    launch: Launch,
    work: AmountOfWork,
    gpu: GpuSpec,
    occupancy: Occupancy | None,
    whole: AmountOfWork | None = None,
) -> ModelledTime:
    """Time of one launch that does this work, as if it were large enough to fill the GPU.

    `whole`: the work that a GPU is timed with, of which this one is a part: see part_of.
    """
    return sequence_time((launch,), work, gpu, occupancy, whole)


def sequence_time(
    launches: Sequence[Launch],
    work: AmountOfWork,
    gpu: GpuSpec,
    occupancy: Occupancy | None,
    whole: AmountOfWork | None = None,
) -> ModelledTime:
    """Time of launches that do this work one after the other. `bound` is that of the longest one."""
    part = part_of(work, whole or work)
    times = [
        time_of(launch, part * share, gpu, occupancy)
        for launch, share in zip(launches, shares(launches), strict=True)
    ]
    longest = max(times, key=lambda time: time.milliseconds)
    total = sum(time.milliseconds for time in times)
    return replace(longest, milliseconds=max(total, floor(work, gpu)))


def shares(launches: Sequence[Launch]) -> list[float]:
    """Each launch's share of the traffic of them all, by the sectors that it moves; they sum up to 1."""
    names = (nsight.GLOBAL_LOAD_SECTORS, nsight.GLOBAL_STORE_SECTORS)
    moved = [total(launch, *names) for launch in launches]
    together = sum(moved)
    return [each / together if together else 1 / len(launches) for each in moved]


def part_of(work: AmountOfWork, whole: AmountOfWork) -> float:
    """Bytes of device memory traffic for `work` as a part of the `whole`.

    Small problems use each element less often: by themselves they would all be bound by memory.
    """
    return whole.bytes * work.counted / whole.counted


def floor(work: AmountOfWork, gpu: GpuSpec) -> float:
    """Lower bound for this work in milliseconds: the roof of arithmetic or of memory."""
    computing = work.flops / (1e9 * gpu.peak_gflops_of(work.tensor_cores))
    return 1e3 * max(computing, work.bytes / gpu.memory_bytes_per_second if work.bytes > gpu.cache else 0.0)


def time_of(
    launch: Launch, once: float, gpu: GpuSpec, occupancy: Occupancy | None, alone: bool = False
) -> ModelledTime:
    """Time of one launch of any kernel that transfers at least `once` bytes from or to device memory.

    `alone`: the launch runs by itself, with the blocks that it has; otherwise it is one of many that fill the
    GPU.
    """
    found = traffic(launch, gpu, occupancy, alone) if launch.mix else None
    cycles = cycles_by_resource(launch, found, once, gpu, occupancy, alone)
    overlap = _overlap(launch, gpu, occupancy, alone)
    total = together(cycles, overlap) * (tail(launch, gpu, _held(occupancy)) if alone else 1.0)
    if alone and launch.mix and occupancy and occupancy.blocks:
        in_rounds = _in_rounds(launch, launch.mix, cycles, overlap, gpu, occupancy.blocks)
        total += gpu.fitted.last_round * (in_rounds - total)
    total /= gpu.fitted.reached if launch.mix else gpu.fitted.ptx_reached
    if alone and launch.mix and launch.mix.simulated:
        total = _with_simulated(total, launch.mix.simulated, cycles, overlap)
    total *= imbalance(launch, gpu)
    overhead = gpu.launch_seconds * gpu.clock_hz if alone else 0.0
    milliseconds = (total + overhead) / gpu.clock_hz * 1e3
    at_atomics = of_atomics(launch, gpu, occupancy)
    return ModelledTime(milliseconds, bound(cycles, launch, gpu), cycles, overlap, alone, at_atomics)


def _with_simulated(total: float, simulated: float, cycles: dict[str, float], overlap: Overlap) -> float:
    """The geometric mean of two estimates whose errors are not alike.

    The simulation leaves out device memory and the start of blocks, so these are added to it. If one resource
    takes nearly all of the time, nothing overlaps, and the simulation would tell nothing new.
    """
    pipe = sum(cycles[name] for name in DATA_PIPE)
    busiest = max(pipe, *(time for name, time in cycles.items() if name != LATENCY))
    if busiest > _ALL * total:
        return total
    near = _norm((simulated, cycles[BLOCKS]), _PIPES_TOGETHER)
    found = _norm((near, cycles["device memory"]), overlap.power)
    return float(total * (found / total) ** SIMULATED)


def together(cycles: dict[str, float], overlap: Overlap) -> float:
    """Cycles of an SM with all resources at work: a norm of the cycles that each would take alone."""
    pipe = sum(cycles[name] for name in DATA_PIPE)  # one pipe serves both
    others = {name: time for name, time in cycles.items() if name not in (*DATA_PIPE, LATENCY)}
    waiting = cycles[LATENCY]
    if _ISSUE_PIPES.isdisjoint(others):  # from PTX alone
        working = _norm((pipe, *others.values()), overlap.power)
        return _norm((working, waiting), overlap.latency_power)
    far = max(others.pop(name) for name in _FAR)  # the same data passes through both
    issuing = others["instruction issue"]
    if issuing:  # register bank conflicts cost nothing while the warps wait for the data pipe
        others["instruction issue"] *= 1 - overlap.collisions * min(1.0, pipe / issuing) ** _PIPE_FULL
    working = _norm((pipe, _norm(tuple(others.values()), _PIPES_TOGETHER)), overlap.power)
    near = max(_norm((working, waiting), overlap.latency_power), waiting + working * overlap.turn)
    return _norm((near, far), overlap.power)


def _overlap(launch: Launch, gpu: GpuSpec, occupancy: Occupancy | None, alone: bool) -> Overlap:
    mixed, fitted = launch.mix, gpu.fitted
    if mixed is None:
        return Overlap(fitted.ptx_overlap, fitted.ptx_waiting_overlap)
    issuing = mixed.instructions + mixed.collisions
    busy = issuing / (mixed.warps * mixed.alone) if mixed.alone else 0.0
    power = fitted.overlap * max(1.0, _GAPS / max(1 - busy, 0.01))
    blocks = _resident_blocks(launch, gpu, occupancy, alone)
    latency_power = fitted.waiting_overlap * max(1.0, blocks / 2) ** fitted.blocks_overlap
    # The work of a scheduler's only warp is part of that warp's time alone: it adds nothing.
    warps = max(1.0, blocks * _warps(launch) / gpu.warp_instructions)
    latency_power *= (warps / max(warps - 1, _ANOTHER_WARP)) ** fitted.few_warps
    turn = 0.0
    if mixed.turns > 1 and occupancy and occupancy.blocks:
        turn = max(0.0, 1 - (gpu.warp_instructions + 1) / _warps(launch)) / occupancy.blocks
    return Overlap(power, latency_power, turn, mixed.collisions / issuing if issuing else 0.0)


def _resident_blocks(launch: Launch, gpu: GpuSpec, occupancy: Occupancy | None, alone: bool) -> float:
    """Blocks that the SM with the most blocks holds at a time."""
    held = _held(occupancy)
    return float(min(held, most_blocks(launch, gpu, held)) if alone else held)


def _held(occupancy: Occupancy | None) -> int:
    return occupancy.blocks if occupancy else 1


def _warps(launch: Launch) -> int:
    """Warps of a block."""
    return -(-math.prod(launch.block) // WARP)


def _norm(times: Sequence[float], power: float) -> float:
    largest = max(times)
    return largest * math.fsum((time / largest) ** power for time in times) ** (1 / power) if largest else 0.0


def busy_cycles(cycles: dict[str, float], launch: Launch, gpu: GpuSpec) -> dict[str, float]:
    """Cycles of an SM in which each resource works. Bank conflicts of registers do not count as issue, and
    only a part of a warp's time alone counts as waiting."""
    busy = cycles | {LATENCY: cycles[LATENCY] * _WAITS}
    if launch.mix:
        busy["instruction issue"] -= launch.mix.collisions / (gpu.sm_count * gpu.warp_instructions)
    return busy


def bound(cycles: dict[str, float], launch: Launch, gpu: GpuSpec) -> str:
    """The busiest resource."""
    busy = busy_cycles(cycles, launch, gpu)
    pipe = sum(busy[name] for name in DATA_PIPE)
    others = {name: time for name, time in busy.items() if name not in DATA_PIPE}
    largest = max(others, key=lambda name: others[name])
    return max(DATA_PIPE, key=lambda name: busy[name]) if pipe >= others[largest] else largest


def _in_rounds(
    launch: Launch, mixed: Mix, cycles: dict[str, float], overlap: Overlap, gpu: GpuSpec, held: int
) -> float:
    """Cycles if the SM with the most blocks ran them in rounds of `held`, as many as it holds at a time.

    If blocks mostly wait, a last round of few blocks takes as long as a full one. But on a GPU the next block
    starts as soon as any block has ended: [fitted] last_round is the share of the difference that remains.
    """
    mean = busy_blocks(launch) / gpu.sm_count
    full, rest = divmod(most_blocks(launch, gpu, held), held)
    waiting = alone_cycles(launch, mixed) * unevenness(launch) + gpu.fitted.block_start

    def of(blocks: int) -> float:
        part = {name: time * blocks / mean for name, time in cycles.items()}
        return together(part | {LATENCY: waiting}, overlap)

    return full * of(held) + (of(rest) if rest else 0.0)
