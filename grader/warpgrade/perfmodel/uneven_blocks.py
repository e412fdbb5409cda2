"""Launches whose blocks do unequal work, and SMs that execute unequal numbers of blocks."""

from __future__ import annotations

import math

from ..gpu.spec import GpuSpec
from ..records import Launch
from ..tables import nsight
from .counters import total

EVEN = 4.0  # blocks count as even if none does more than this times the average work
_HALF = 0.5
_UNEVEN = 1.5  # less than this is the border of a grid, not blocks that have nothing to do


def unevenness(launch: Launch) -> float:
    """Work of a busy block relative to the average, at most EVEN: 1 if all are busy.

    Blocks that leave at once, as those above the diagonal of a triangle, take no part in what follows: the
    launch is one of the others alone.
    """
    found = min(EVEN, of_busiest(launch))
    return found if found > _UNEVEN else 1.0


def busy_blocks(launch: Launch) -> int:
    return math.ceil(math.prod(launch.grid) / unevenness(launch))


def most_blocks(launch: Launch, gpu: GpuSpec, held: int) -> int:
    """Busy blocks of the SM that gets the most. `held`: blocks that an SM holds at a time.

    How many of the blocks that start first on an SM are busy is left to chance. The others go where one has
    ended, or left.
    """
    even = math.ceil(busy_blocks(launch) / gpu.sm_count)
    first = min(held, math.ceil(math.prod(launch.grid) / gpu.sm_count))
    return max(even, _most_by_chance(first, 1 / unevenness(launch), gpu.sm_count))


def _most_by_chance(blocks: int, share: float, sms: int) -> int:
    """Median of the most busy ones of so many blocks on any SM. `share`: of the busy blocks."""
    fewer = 0.0
    for most in range(blocks):
        fewer += math.comb(blocks, most) * share**most * (1 - share) ** (blocks - most)
        if fewer**sms > _HALF:
            return most
    return blocks


def imbalance(launch: Launch, gpu: GpuSpec) -> float:
    """Time of the busiest block relative to that of even blocks, at most the number of SMs: one block that
    does the work of all leaves the other SMs idle. Up to EVEN times the average counts as even.

    Blocks that take their work from a queue are even on a GPU, and not on the emulator, which may run one
    after the other: they are left out.
    """
    return max(1.0, min(of_busiest(launch), gpu.sm_count) / EVEN)


def of_busiest(launch: Launch) -> float:
    """Work of the busiest block relative to the average, 1 where blocks take their work from a queue."""
    executed, blocks = total(launch, nsight.WARP_INSTRUCTIONS), math.prod(launch.grid)
    if not executed or _takes_from_queue(launch):
        return 1.0
    return total(launch, nsight.BUSIEST_BLOCK_INSTRUCTIONS) * blocks / executed


def _takes_from_queue(launch: Launch) -> bool:
    """Whether blocks take their work from a queue, by atomics on global memory. Then each block executes at
    least one, and the busiest block's share of the atomics is at least half of its share of the work. Two
    atomics in each block are no queue.
    """
    blocks, drawn = math.prod(launch.grid), total(launch, nsight.GLOBAL_ATOMICS)
    of_busiest = total(launch, nsight.BUSIEST_BLOCK_ATOMICS)
    if drawn <= blocks or drawn - of_busiest < blocks - 1:
        return False
    share = total(launch, nsight.BUSIEST_BLOCK_INSTRUCTIONS) / total(launch, nsight.WARP_INSTRUCTIONS)
    return of_busiest / drawn >= share / 2


def tail(launch: Launch, gpu: GpuSpec, held: int) -> float:
    """Work of the SM with the most blocks, relative to the average."""
    return most_blocks(launch, gpu, held) * gpu.sm_count / busy_blocks(launch)
