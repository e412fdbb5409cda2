"""The time of a launch whose number of blocks is fixed, at the size that a GPU is timed with.

The emulator runs a part of that size, and the model scales the launch's time to the whole. That is right for
a grid that covers the elements. A fixed grid has all of its blocks in the part: work that a block does once,
such as clearing a table, would be scaled, too. So the emulator runs it at two larger sizes, and the cycles of
each resource are extrapolated linearly to the whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..course import work
from ..course.work import AmountOfWork
from ..gpu.spec import GpuSpec
from ..records import Lab, Launch, LaunchShape, Occupancy, Size
from ..tables.hardware import FLOAT, WARP
from .few_blocks import FEW_BLOCKS
from .model import ModelledTime, bound, floor, sequence_time, together
from .resources import LATENCY
from .uneven_blocks import tail

# The smaller size has _WANTED times the least bytes for each block: a word for each thread, and 16 for each
# lane of two warps. Then more work means more iterations of more warps, and a table of 256 bins is full.
_WORD, _LEAST, _WANTED = FLOAT, 16 * 2 * WARP, 4
_MOST = 64.0  # the larger size, relative to the part: the emulator runs that in a second


@dataclass(frozen=True)
class TimedPart:
    """What one side launched at one size, in the order of execution."""

    launches: tuple[Launch, ...]
    work: AmountOfWork


def larger_sizes(lab: Lab, size: Size, shape: LaunchShape | None, reference: Launch) -> tuple[Size, ...]:
    """The two sizes. None for a grid that grows, and for one that has no more blocks than the reference."""
    if shape is None or shape.blocks is None or shape.blocks <= math.prod(reference.grid):
        return ()
    whole = work.whole(lab)
    most = work.of(lab, whole).bytes / work.of(lab, size).bytes
    least = shape.blocks * max(_LEAST, _WORD * shape.threads_per_block) / work.of(lab, size).bytes
    smaller = min(max(2.0, _WANTED * least), most / 2, _MOST / 2)
    if smaller < max(1.0, least):
        return ()

    def towards_whole(times: float) -> Size:
        share = math.log(times) / math.log(most)
        return tuple(round(one * (other / one) ** share) for one, other in zip(size, whole, strict=True))

    return towards_whole(smaller), towards_whole(2 * smaller)


def time_of_part(
    parts: Sequence[TimedPart],
    part: AmountOfWork,
    whole: AmountOfWork,
    gpu: GpuSpec,
    occupancy: Occupancy | None,
) -> ModelledTime:
    """The share of the whole's time that is due to `part`. `parts`: the launches of this size alone, or those
    of the two larger sizes.
    """
    times = [sequence_time(each.launches, each.work, gpu, occupancy, whole) for each in parts]
    if len(parts) == 1:
        return times[0]
    (small, large), (less, more) = times, (each.work for each in parts)
    further = (whole.counted - more.counted) / (more.counted - less.counted)
    cycles = {
        name: each + further * max(0.0, each - small.cycles[name]) for name, each in large.cycles.items()
    }
    launch = parts[-1].launches[0]
    cycles[LATENCY] *= _idle_warps(launch, gpu, occupancy)
    held = occupancy.blocks if occupancy else 1
    grown = together(cycles, large.overlap) / together(large.cycles, large.overlap) * tail(launch, gpu, held)
    milliseconds = max(large.milliseconds * grown, floor(whole, gpu)) * part.counted / whole.counted
    few = 2 * math.prod(launch.grid) < gpu.sm_count
    pace = FEW_BLOCKS if few else bound(cycles, launch, gpu)
    return replace(large, milliseconds=milliseconds, bound=pace, cycles=cycles)


def _idle_warps(launch: Launch, gpu: GpuSpec, occupancy: Occupancy | None) -> float:
    """Warps that an SM could hold, relative to those of the SM with the most blocks; at least 1."""
    if occupancy is None:
        return 1.0
    given = math.ceil(math.prod(launch.grid) / gpu.sm_count) * math.ceil(math.prod(launch.block) / WARP)
    return max(1.0, occupancy.warps / given)
