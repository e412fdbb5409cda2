"""The time of an SM for its resident warps, from a simulation of how its schedulers issue their instructions.

The emulator simulates (grader/emulator/issue/schedule.hpp). This module tells it what each instruction of the
trace occupies, and computes the time of a launch from the result: loops at the pace that they have while all
warps are in them, and the rest by the mean time of a warp.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from ..build.emu import IssueJob, IssueSchedule, TracedInstruction
from ..build.sass import Code, Instruction
from ..gpu.spec import GpuSpec
from ..records import Launch, Occupancy
from ..tables.hardware import SECTOR, WARP
from .machine_code.warp_trace import BLOCK_ENDS, BLOCK_STARTS, WarpTrace, trace, trace_of_blocks
from .memory.cache_traffic import Traffic, traffic
from .memory.data_pipe import idle_passes, load_wavefronts, shared_passes
from .memory.latency import LoadLatencies, latency, load_latencies

_SEEDS = (1, 2, 3)  # of the random starts of blocks: the time is the mean of three simulations
_LEAST_MARKS = 4  # a loop with so many marks or fewer has no pace
_WARM = 0.25  # first share of the time in which all warps are in a loop: its pace has not settled
_IN_LOOPS = 0.6  # least share of a trace's instructions that lie in loops
# Kinds that were not compared with a GPU, or that a GPU does not execute instruction by instruction.
_UNKNOWN = frozenset({"mma 16x8x16", "mma 16x8x8", "bulk copy", "call", "atomic", "shared atomic"})
_SHARED = ("shared load", "shared store", "shuffle")
_BOARDS = 6  # scoreboards of a warp
_BYTES_A_PASS = 8  # of a lane
_FETCHES = ("global load", "asynchronous copy")


class IssueUnit(IntEnum):
    """What an instruction occupies: issue::Unit of the emulator."""

    NONE = 0
    LOAD = 1
    STORE = 2
    BARRIER = 3
    SINGLE = 4
    INTEGER_MULTIPLY = 5
    INTEGER = 6
    SPECIAL = 7
    DOUBLE = 8


_UNITS = {
    "global load": IssueUnit.LOAD,
    "asynchronous copy": IssueUnit.LOAD,
    "global store": IssueUnit.LOAD,
    "local load": IssueUnit.LOAD,
    "local store": IssueUnit.LOAD,
    "shared load": IssueUnit.LOAD,
    "shuffle": IssueUnit.LOAD,
    "shared store": IssueUnit.STORE,
    "barrier": IssueUnit.BARRIER,
    "ffma": IssueUnit.SINGLE,
    "fp32": IssueUnit.SINGLE,
    "multiply": IssueUnit.INTEGER_MULTIPLY,
    "integer": IssueUnit.INTEGER,
    "special": IssueUnit.SPECIAL,
    "fp64": IssueUnit.DOUBLE,
}


@dataclass(frozen=True)
class SimulatedLaunch:
    """A launch as the simulation runs it: as many blocks as an SM holds, and the last round's."""

    trace: WarpTrace
    job: IssueJob
    rounds: float  # of the SM with the most blocks
    full: float  # rounds in which it holds as many blocks as fit
    last: bool  # a round with fewer blocks follows
    start: float  # cycles until a block has started; 0 if the trace contains the starts


def simulated(
    launch: Launch, code: Code, once: float, gpu: GpuSpec, occupancy: Occupancy
) -> SimulatedLaunch | None:
    """None where the time of a launch is not the pace of its loops or blocks. `launch`: with its mix."""
    mixed = launch.mix
    if mixed is None or not occupancy.blocks or any(mixed.by_kind.get(kind) for kind in _UNKNOWN):
        return None
    if gpu.fp32_lanes != WARP * gpu.warp_instructions:  # a simulated pipe takes a warp in one cycle
        return None
    blocks = math.ceil(math.prod(launch.grid) / gpu.sm_count)
    held = min(occupancy.blocks, blocks)
    full, rest = divmod(blocks, held)
    found = trace(code, launch)
    looping = found is not None and found.loops and found.in_loops >= _IN_LOOPS
    if not looping:
        found, rest = trace_of_blocks(code, launch), 0
    if found is None:
        return None
    job = _job(found, _rows(found, launch, code, once, gpu, occupancy), launch, gpu, (held, rest))
    if looping:
        return SimulatedLaunch(found, job, blocks / held, full, rest > 0, gpu.fitted.block_start)
    return SimulatedLaunch(found, job, blocks / held, blocks / held, False, 0.0)


def cycles(of: SimulatedLaunch, schedules: Sequence[IssueSchedule], gpu: GpuSpec) -> float:
    """Cycles of the SM with the most blocks.

    Blocks that start together end together. With each round that follows, their ends are further apart, so
    that fewer wait for a last round: model.py, _in_rounds().
    """
    times = [_cycles(of.trace, of.job.marks, each) + of.start for each in schedules]
    held = statistics.mean(times[: len(_SEEDS)])
    rest = statistics.mean(times[len(_SEEDS) :]) if of.last else 0.0
    steady = held * of.rounds
    share = gpu.fitted.last_round if of.full > 1 else 1.0
    return steady + share * (held * of.full + rest - steady)


def with_cycles(launch: Launch, found: float) -> Launch:
    """The launch with what the simulation found."""
    return replace(launch, mix=replace(launch.mix, simulated=found)) if launch.mix else launch


def _cycles(of: WarpTrace, marks: Sequence[int], schedule: IssueSchedule) -> float:
    """Of one round."""
    warps = len(schedule.starts)
    times = dict(zip(marks, schedule.marks, strict=True))
    outside = sum(schedule.ends) - sum(schedule.starts)
    paced = 0.0
    for loop in of.loops:
        begins = [times[begin] for begin in loop.begins]
        inside = sum(begins[-1]) - sum(begins[0])
        outside -= inside
        paced += _pace(begins, inside / warps / (len(begins) - 1)) * loop.iterations
    return paced + max(0.0, outside / warps)


def _pace(begins: Sequence[Sequence[float]], mean: float) -> float:
    """Cycles for an iteration of all warps while all are in the loop. `mean`: a warp's cycles for one, which
    are taken if there are too few marks.
    """
    first, last = max(begins[0]), min(begins[-1])
    first += max(0.0, last - first) * _WARM
    times = sorted(time for each in begins for time in each if first <= time <= last)
    if len(begins) <= _LEAST_MARKS or len(times) < 2:
        return mean
    return len(begins[0]) * (times[-1] - times[0]) / (len(times) - 1)


def _job(
    of: WarpTrace, rows: dict[int, TracedInstruction], launch: Launch, gpu: GpuSpec, groups: tuple[int, int]
) -> IssueJob:
    numbers = {number: at for at, number in enumerate(rows)}
    order = tuple(numbers[number] for number in of.order)
    fitted, warps = gpu.fitted, -(-math.prod(launch.block) // WARP)
    marks = tuple(sorted({begin for loop in of.loops for begin in loop.begins}))
    apart = of.longest_iteration * warps / gpu.warp_instructions
    return IssueJob(
        tuple(rows.values()),
        order,
        marks,
        (
            int(fitted.data_queue),
            fitted.data_queue_cycles,
            fitted.data_entry,
            fitted.barrier,
            fitted.l2_spread,
        ),
        tuple((blocks, warps, blocks * apart, seed) for blocks in groups if blocks for seed in _SEEDS),
    )


def _rows(
    of: WarpTrace, launch: Launch, code: Code, once: float, gpu: GpuSpec, occupancy: Occupancy
) -> dict[int, TracedInstruction]:
    """What each instruction of the trace occupies, by its number."""
    found = traffic(launch, gpu, occupancy)
    loads = load_latencies(launch, found, once, gpu, occupancy, alone=True, of_one=True)
    passes = _passes(launch, found, gpu)
    from_l2 = _from_l2(launch, found, gpu)
    widths = _widths(
        [code.instructions[number] for number in of.order if number >= 0], passes.get("shared load", 1.0)
    )
    rows: dict[int, TracedInstruction] = {
        BLOCK_ENDS: (int(IssueUnit.BARRIER), 1, -1, 0, 0.0, 0.0, 0.0, 0.0),
        BLOCK_STARTS: (int(IssueUnit.NONE), int(gpu.fitted.next_block), -1, 0, 0.0, 0.0, 0.0, 0.0),
    }
    for number in dict.fromkeys(number for number in of.order if number >= 0):
        each = code.instructions[number]
        unit = _UNITS.get(each.kind, IssueUnit.NONE)
        fetches = each.kind in _FETCHES
        through = widths[each.bytes] if each.kind == "shared load" else passes.get(each.kind, 1.0)
        rows[number] = (
            int(unit),
            max(1, each.stall),
            each.sets if each.sets < _BOARDS else -1,
            each.waits,
            through if unit in (IssueUnit.LOAD, IssueUnit.STORE) else 0.0,
            _latency(each, loads, gpu),
            gpu.fitted.issue_conflict * each.collides,
            from_l2 if fetches else 0.0,
        )
    return rows


def _latency(each: Instruction, loads: LoadLatencies, gpu: GpuSpec) -> float:
    if each.kind in _SHARED:  # counted from its last pass
        return gpu.shared_latency - gpu.fitted.data_entry - 1
    if each.kind == "other" and each.sets >= 0:
        return gpu.fitted.constant_latency  # it loads from constant memory, or reads a special register
    return latency(each, loads, gpu)


def _passes(launch: Launch, found: Traffic | None, gpu: GpuSpec) -> dict[str, float]:
    """Passes of one instruction through the data pipe, by kind."""
    assert launch.mix is not None
    executed = launch.mix.by_kind
    sums = shared_passes(launch)
    means = {kind: sums[kind] / executed[kind] for kind in sums if executed.get(kind)}
    loaded = (found.passes if found else load_wavefronts(launch)) + idle_passes(launch, "global load")
    each = loaded / max(1.0, sum(executed.get(kind, 0.0) for kind in _FETCHES))
    means["global load"] = max(gpu.fitted.load_request, each)
    if "asynchronous copy" in means:
        means["asynchronous copy"] += each
    if found and executed.get("global store"):
        stored = found.store_passes + idle_passes(launch, "global store")
        means["global store"] = stored / executed["global store"]
    return means


def _from_l2(launch: Launch, found: Traffic | None, gpu: GpuSpec) -> float:
    """Cycles in which L2 delivers what one load misses in L1."""
    assert launch.mix is not None
    fetches = sum(launch.mix.by_kind.get(kind, 0.0) for kind in _FETCHES)
    if not found or not fetches:
        return 0.0
    return max(found.sectors * SECTOR / gpu.l2_bytes, found.lines / gpu.fitted.l2_lines) / fetches


def _widths(executed: Sequence[Instruction], mean: float) -> dict[int, float]:
    """Passes of a shared load by the bytes of a lane: twice as many for 16 as for 8. Their mean over the
    executed loads is `mean`.
    """
    loads = [each.bytes for each in executed if each.kind == "shared load"]
    parts = {width: max(1.0, width / _BYTES_A_PASS) for width in set(loads)}
    usual = statistics.mean(parts[width] for width in loads) if loads else 1.0
    return {width: part * max(1.0, mean / usual) for width, part in parts.items()}
