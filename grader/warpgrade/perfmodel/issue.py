"""The time of an SM for its blocks, from a simulation of how its schedulers issue their instructions.

The emulator simulates (grader/emulator/issue/schedule.hpp). This module tells it what each instruction of the
trace occupies, and computes the time of a launch from the result. Long loops are cut: the time is continued
from two lengths of the trace. Of many rounds of blocks a few are simulated, at whose pace the others go on.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from statistics import NormalDist

from ..build.emu import IssueJob, IssueSchedule, TracedInstruction
from ..build.sass import FETCHES, Code, Instruction
from ..gpu.spec import GpuSpec
from ..records import Launch, Mix, Occupancy
from ..tables.hardware import SECTOR, WARP
from .machine_code.warp_trace import trace
from .memory.access_passes import passes_by_number
from .memory.cache_traffic import Traffic, traffic
from .memory.lane_turns import lane_turns
from .memory.latency import LoadLatencies, latency, load_latencies
from .uneven_blocks import busy_blocks, most_blocks, unevenness

_SEEDS = (1, 2)  # of the latencies of L2: the time is the mean of two simulations
_WANTED, _MOST = 4e5, 6e6  # instructions of all warps in a simulation
_SHORTER = 1 / 3  # the shorter trace, relative to the longer one
# Instructions of a warp up to which no loop is cut. In such short blocks the longest waiting warp goes first
# throughout; in longer ones, accesses of older blocks do. Both as measured: docs/performance-model.md.
_SHORT = 2000
_ROUNDS = 4  # that are simulated at most
# Share that counts of the time of last blocks that gather on one SM: whether they do depends on less than a
# percent of a block's time.
GATHERED = 0.5
# How far apart blocks end on a GPU, relative to the simulation: less and more were measured. The numbers of
# blocks that gather are averaged over these.
_APART = (0.25, 0.5, 1.0, 2.0)
# Kinds that were not compared with a GPU, or that a GPU does not execute instruction by instruction.
_UNKNOWN = frozenset({"mma 16x8x16", "mma 16x8x8", "bulk copy", "call"})
_MOST_ATOMICS = 1.0  # of a warp in global memory: what L2 takes for them is not simulated
_SHARED = ("shared load", "shared store", "shuffle")
_IN_TURNS = ("match", "other")  # "other": loads of constants, which set a scoreboard
_BOARDS = 6  # scoreboards of a warp


class IssueUnit(IntEnum):
    """What an instruction occupies: issue::Unit of the emulator."""

    NONE = 0
    LOAD = 1
    STORE = 2
    BARRIER = 3
    SINGLE = 4
    INTEGER_MULTIPLY = 5
    WIDE_MULTIPLY = 6
    INTEGER = 7
    SPECIAL = 8
    DOUBLE = 9
    TURNS = 10
    TAKEN_BRANCH = 11


_UNITS = {
    "global load": IssueUnit.LOAD,
    "asynchronous copy": IssueUnit.LOAD,
    "global store": IssueUnit.LOAD,
    "local load": IssueUnit.LOAD,
    "local store": IssueUnit.LOAD,
    "shared load": IssueUnit.LOAD,
    "shuffle": IssueUnit.LOAD,
    "shared store": IssueUnit.STORE,
    "shared atomic": IssueUnit.STORE,
    "atomic": IssueUnit.LOAD,
    "barrier": IssueUnit.BARRIER,
    "ffma": IssueUnit.SINGLE,
    "fp32": IssueUnit.SINGLE,
    "multiply": IssueUnit.INTEGER_MULTIPLY,
    "wide multiply": IssueUnit.WIDE_MULTIPLY,
    "integer": IssueUnit.INTEGER,
    "special": IssueUnit.SPECIAL,
    "fp64": IssueUnit.DOUBLE,
}


@dataclass(frozen=True)
class SimulatedLaunch:
    """A launch as the simulation runs it.

    `lengths`: instructions of a warp in the trace of each job, of which there are two if loops may be cut.
    `executed`: those that a warp of the launch executes on average.
    """

    jobs: tuple[IssueJob, ...]
    lengths: tuple[int, ...]
    executed: float
    blocks: int  # of the SM with the most, if they spread evenly
    held: int  # of these at a time
    waiting: int  # blocks of the launch that have to wait for another one's place


def simulated(
    launch: Launch, code: Code, once: float, gpu: GpuSpec, occupancy: Occupancy
) -> SimulatedLaunch | None:
    """Cycles by simulation of issue. None if it does not know the kernel, or would take too long. `launch`:
    with its mix.
    """
    mixed = launch.mix
    if mixed is None or not occupancy.blocks or _is_unknown(mixed):
        return None
    if gpu.fp32_lanes != WARP * gpu.warp_instructions:  # a simulated pipe takes a warp in one cycle
        return None
    grid = busy_blocks(launch)
    blocks = most_blocks(launch, gpu, occupancy.blocks)
    held = min(occupancy.blocks, blocks)
    waiting = max(0, grid - held * gpu.sm_count)
    warps = min(blocks, _ROUNDS * held) * -(-math.prod(launch.block) // WARP)
    executed = mixed.instructions / mixed.warps * unevenness(launch)
    long = executed > _SHORT
    share = min(1.0, _WANTED / warps / executed) if long else 1.0
    busy = replace(launch, grid=(grid, 1, 1))
    orders = [_with_taken(trace(code, busy, share), code)]
    if not orders[0] or len(orders[0]) * warps > _MOST:
        return None
    if long:
        orders.append(_with_taken(trace(code, busy, share, _SHORTER), code))
    rows = _rows(orders[0], launch, code, once, gpu, occupancy)
    simulate = [min(blocks, _ROUNDS * held)]
    if 0 < waiting < gpu.sm_count * held:
        simulate.append(2 * held)
    sequences = [(count, held, long) for count in simulate]
    jobs = tuple(_job(order, rows, launch, gpu, sequences) for order in orders)
    return SimulatedLaunch(jobs, tuple(map(len, orders)), executed, blocks, held, waiting)


def _is_unknown(mixed: Mix) -> bool:
    executed = mixed.by_kind
    return any(executed.get(kind) for kind in _UNKNOWN) or executed.get("atomic", 0.0) > (
        _MOST_ATOMICS * mixed.warps
    )


def cycles(of: SimulatedLaunch, schedules: Sequence[Sequence[IssueSchedule]], gpu: GpuSpec) -> float:
    """Cycles until the last SM has ended its blocks. `schedules`: of each job."""
    ends = [_whole(of, lengths) for lengths in zip(*map(_ends, schedules), strict=True)]
    time, held = ends[0][-1], of.held
    if len(ends) > 1:
        more = (ends[1][-1] - time) / max(1, 2 * held - of.blocks)
        most = statistics.mean(_most_blocks(of, _spread(ends[0], held, apart), gpu) for apart in _APART)
        time += GATHERED * more * (most - of.blocks)
    if of.blocks > len(ends[0]):
        first, last = ends[0][held - 1], ends[0][(_ROUNDS - 1) * held - 1]
        time += (of.blocks - len(ends[0])) * (last - first) / ((_ROUNDS - 2) * held)
    return time + gpu.fitted.next_block


def with_cycles(launch: Launch, found: float) -> Launch:
    """The launch with what the simulation found."""
    return replace(launch, mix=replace(launch.mix, simulated=found)) if launch.mix else launch


def _ends(schedules: Sequence[IssueSchedule]) -> list[list[float]]:
    """When blocks end, the first ones first: of each sequence the mean over its seeds."""
    alike = (schedules[at : at + len(_SEEDS)] for at in range(0, len(schedules), len(_SEEDS)))
    return [
        [statistics.mean(times) for times in zip(*(sorted(each.ends) for each in seeds), strict=True)]
        for seeds in alike
    ]


def _whole(of: SimulatedLaunch, lengths: Sequence[Sequence[float]]) -> list[float]:
    """When blocks end that execute all of their loops' iterations, from traces of these lengths.

    A single trace may miss what only some warps execute.
    """
    if len(lengths) == 1:
        return [end * of.executed / of.lengths[0] for end in lengths[0]]
    longer, shorter = of.lengths
    further = (of.executed - longer) / max(1, longer - shorter)
    return [long + (long - short) * further for long, short in zip(*lengths, strict=True)]


def _spread(ends: Sequence[float], held: int, apart: float) -> list[float]:
    """The ends, with those of the first `held` blocks that many times as far from their mean."""
    mean = statistics.mean(ends[:held])
    return [mean + (end - mean) * apart for end in ends[:held]] + list(ends[held:])


def _most_blocks(of: SimulatedLaunch, ends: Sequence[float], gpu: GpuSpec) -> int:
    """Blocks of the SM that executes most of them, if the waiting ones are fewer than the first ones.

    A block goes to the SM on which one ends first. If those of an SM end at the same time, several go to the
    faster SMs, and others get none.
    """
    usual = NormalDist(1.0, gpu.fitted.sm_spread)
    speeds = [usual.inv_cdf((number + 0.5) / gpu.sm_count) for number in range(gpu.sm_count)]
    places = sorted((speed * end, number) for number, speed in enumerate(speeds) for end in ends)
    taken = Counter(number for _, number in places[: of.waiting])
    return of.held + max(taken.values(), default=0)


def _job(
    order: Sequence[int],
    rows: dict[int, TracedInstruction],
    launch: Launch,
    gpu: GpuSpec,
    sequences: Sequence[tuple[int, int, bool]],
) -> IssueJob:
    """`sequences`: numbers of blocks, of these at a time, and whether accesses of older ones go first."""
    numbers = {number: at for at, number in enumerate(rows)}
    fitted, warps = gpu.fitted, -(-math.prod(launch.block) // WARP)
    apart = gpu.cycles_per_block * gpu.sm_count
    return IssueJob(
        tuple(rows.values()),
        tuple(numbers[number] for number in order),
        (
            int(fitted.data_queue),
            fitted.data_queue_cycles,
            fitted.data_entry,
            fitted.barrier,
            fitted.l2_spread,
        ),
        tuple(
            (blocks, held, warps, apart, fitted.next_block, seed, older_first)
            for blocks, held, older_first in sequences
            for seed in _SEEDS
        ),
    )


def _rows(
    order: Sequence[int], launch: Launch, code: Code, once: float, gpu: GpuSpec, occupancy: Occupancy
) -> dict[int, TracedInstruction]:
    """What each instruction of the trace occupies, by its number; ~number: as a branch that is taken."""
    found = traffic(launch, gpu, occupancy)
    loads = load_latencies(launch, found, once, gpu, occupancy, alone=True, code=code, of_one=True)
    passes = passes_by_number([max(number, ~number) for number in order], code, launch, found, gpu)
    from_l2 = _from_l2(launch, found, gpu)
    turns = lane_turns(launch)
    rows: dict[int, TracedInstruction] = {}
    for number, through in passes.items():
        each = code.instructions[number]
        in_turns = turns.get(each.line, 0.0) if each.kind in _IN_TURNS and each.sets >= 0 else 0.0
        unit = IssueUnit.TURNS if in_turns else _UNITS.get(each.kind, IssueUnit.NONE)
        fetches = each.kind in FETCHES
        rows[number] = (
            int(unit),
            max(1, each.stall),
            each.sets if each.sets < _BOARDS else -1,
            each.waits,
            through if unit in (IssueUnit.LOAD, IssueUnit.STORE) else in_turns,
            _latency(each, loads, gpu) + in_turns,
            each.fetches,
            each.kept,
            from_l2 if fetches else 0.0,
        )
    taken = {number for number in order if number < 0}
    return rows | {number: (int(IssueUnit.TAKEN_BRANCH), *rows[~number][1:]) for number in taken}


def _with_taken(order: Sequence[int], code: Code) -> list[int]:
    """The order with ~number for branches after which the warp does not go on with the next instruction."""
    return [
        ~number if code.instructions[number].kind == "branch" and behind not in (None, number + 1) else number
        for number, behind in zip(order, (*order[1:], None), strict=True)
    ]


def _latency(each: Instruction, loads: LoadLatencies, gpu: GpuSpec) -> float:
    if each.kind in _SHARED:  # counted from its last pass
        return gpu.shared_latency - gpu.fitted.data_entry - 1
    if each.kind == "other" and each.sets >= 0:
        return gpu.fitted.constant_latency  # it loads from constant memory, or reads a special register
    return latency(each, loads, gpu)


def _from_l2(launch: Launch, found: Traffic | None, gpu: GpuSpec) -> float:
    """Cycles in which L2 delivers what one load misses in L1."""
    assert launch.mix is not None
    fetches = sum(launch.mix.by_kind.get(kind, 0.0) for kind in FETCHES)
    if not found or not fetches:
        return 0.0
    return max(found.sectors * SECTOR / gpu.l2_bytes, found.lines / gpu.fitted.l2_lines) / fetches
