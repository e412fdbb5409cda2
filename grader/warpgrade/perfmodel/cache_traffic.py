"""What of a launch's global memory traffic each cache lets through, from the footprints of a few blocks.

No cache is emulated. Of some blocks the emulator tells, allocation by allocation, which sectors they touch
and how often anew (records.Footprint); from these follows what an SM's L1 and the card's L2 can hold:

- A warp finds again what it loaded a little while ago, and one of a block's warps loads for all.
- What the blocks of an SM touch together and L1 has room for is loaded once; of more, L1 keeps a share.
- What a block uses all words of is loaded from the card's memory once, for blocks that share it run side by
  side. What it uses a few words of is loaded for each use, as far as L2 does not hold it by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.hardware import LINE, SECTOR
from ..gpu.spec import GpuSpec
from ..records import Footprint, Launch, Occupancy

# Of L1's bytes, and of L2's, so many hold what is of use: lines are filled in part, and each half of L2 keeps
# what its own SMs read.
_L1_KEPT, _L2_KEPT = 0.6, 0.5
# Words lie here and there where a block uses fewer than this share of the bytes of its sectors, the block
# beside it uses no more than that share of them, and of the lines they lie in so many sectors at most.
_SCATTERED, _BESIDE, _APART = 0.5, 0.25, 2.0
# Memory moves at least so many bytes for a word, and for one that is changed there and back.
_MOVED = {"load": 64, "store": 64, "atomic": 128}
# Blocks that have more than this share of their sectors to themselves do not meet.
_APART_BLOCKS = 0.9
# Blocks that reach over this share of what all of them do go anywhere.
_WIDE = 0.5
# Tags that L1 looks up in a cycle.
_TAGS = 3.1
# A load's time is that of the slowest allocation that gets at least this share of the requests.
_TELLING = 0.1
# Warps share what they load where a block loads less than this share of what they load one by one.
_SHARED = 0.5


@dataclass(frozen=True)
class Traffic:
    """Of the whole launch."""

    requests: float  # for loads
    passes: float  # of loads through L1
    sectors: float  # of loads that L1 does not hold
    lines: float  # the same
    dense_bytes: float  # between L2 and the card's memory, side by side
    scattered_bytes: float  # here and there
    missing: float  # share of the loads that wait for more than L1, of the slowest allocation
    far: float  # share of these that wait for the card's memory
    waits: dict[int, tuple[float, float]]  # `missing` and `far` by allocation
    shared: bool  # what warps wait for is mostly what others of their block want too


def traffic(launch: Launch, gpu: GpuSpec, occupancy: Occupancy | None, alone: bool = True) -> Traffic | None:
    """None where the launch has no footprints. `alone`: all that the SMs run; else as a part of a larger
    launch, whose blocks find nothing in L1 that another one left there."""
    if not launch.footprints:
        return None
    seen = max(each.blocks for each in launch.footprints)
    parts = [_part(each, seen, launch, gpu, occupancy, alone) for each in launch.footprints]
    room = _L2_KEPT * gpu.cache / SECTOR
    held = min(1.0, room / max(1.0, math.fsum(part.touched for part in parts if part.scattered)))
    loads = [part for part in parts if part.of.kind == "load"]
    requests = math.fsum(part.requests for part in loads)
    telling = [part for part in loads if part.requests >= _TELLING * requests]
    slowest = max(telling, key=lambda part: part.missing * (1 + part.far(held)), default=None)
    return Traffic(
        requests,
        math.fsum(part.passes for part in loads),
        math.fsum(part.beyond for part in loads),
        math.fsum(part.beyond * part.of.lines / part.of.sectors for part in loads),
        math.fsum(part.touched * SECTOR for part in parts if not part.scattered),
        math.fsum(part.from_memory(held) * _MOVED[part.of.kind] for part in parts if part.scattered),
        slowest.missing if slowest else 0.0,
        slowest.far(held) if slowest else 0.0,
        {part.of.allocation: (part.missing, part.far(held)) for part in loads},
        _shared(loads),
    )


def _shared(loads: Sequence[_GridFootprint]) -> bool:
    of_warps = sum(part.of.warp_sectors for part in loads)
    waiting = any(part.missing > _SHARED for part in loads)
    return waiting and sum(part.of.block_sectors for part in loads) < _SHARED * of_warps


@dataclass(frozen=True)
class _GridFootprint:
    """One footprint as that of all blocks."""

    of: Footprint
    requests: float
    passes: float
    beyond: float  # sectors that L1 does not hold
    touched: float  # distinct sectors
    missing: float  # share of the requests that wait for more than L1

    @property
    def scattered(self) -> bool:
        of = self.of
        few = of.bytes < _SCATTERED * of.block_sectors * SECTOR
        return few and beside(of) < _BESIDE and of.launch_sectors < _APART * of.launch_lines

    def from_memory(self, held: float) -> float:
        """Sectors, where L2 holds that share of what all blocks touch here and there."""
        if not self.scattered:
            return self.touched
        return max(self.beyond * (1 - held), min(self.touched, self.beyond))

    def far(self, held: float) -> float:
        """Share of the requests beyond L1 that wait for the card's memory: for the slowest of their lines."""
        if not self.beyond:
            return 0.0
        line = 1 - held if self.scattered else min(1.0, self.touched / self.beyond)
        return float(1 - (1 - line) ** (self.of.lines / self.of.requests))


def _part(
    of: Footprint, seen: int, launch: Launch, gpu: GpuSpec, occupancy: Occupancy | None, alone: bool
) -> _GridFootprint:
    """`seen`: blocks that were looked at, whether they did anything to this allocation or not."""
    blocks = math.prod(launch.grid) * of.blocks / seen
    scale = blocks / of.blocks
    on_sm = max(1.0, blocks / gpu.sm_count)
    resident = min(on_sm, occupancy.blocks) if occupancy else 1.0
    if of.kind != "load":
        return _GridFootprint(of, of.requests * scale, 0.0, of.sectors * scale, touched(of, blocks), 0.0)
    # Of what its warps miss, a block waits for one of those that want the same.
    missed = of.missed_sectors * of.block_sectors / of.warp_sectors / of.blocks
    room = _L1_KEPT * gpu.l1 / SECTOR
    again = 1 - min(1.0, touched(of, on_sm) / (missed * on_sm)) if alone else 0.0
    kept = again * min(1.0, room / touched(of, resident))
    missing = min(1.0, of.missed_sectors / of.requests * (1 - kept))
    passes = max(of.passes, of.lines / _TAGS, of.bytes / LINE) * scale
    return _GridFootprint(
        of, of.requests * scale, passes, missed * (1 - kept) * blocks, touched(of, blocks), missing
    )


def touched(of: Footprint, blocks: float) -> float:
    """Distinct sectors of so many blocks, by how many of its own one has beside the others."""
    of_one = of.block_sectors / of.blocks
    own = (of.launch_sectors / of_one - 1) / (of.blocks - 1) if of.blocks > 1 else 1.0
    # Where blocks met, or each goes nearly as far, all others go no further than these; else they may.
    met = own < _APART_BLOCKS or wide(of)
    reach = of.reach_lines * LINE if met else of.allocation_bytes or math.inf
    return max(of_one, min(of_one * (1 + (blocks - 1) * own), reach / SECTOR))


def beside(of: Footprint) -> float:
    """Share of a block's sectors that its neighbour touches too."""
    return 2 * (1 - of.pair_sectors / of.block_sectors)


def wide(of: Footprint) -> bool:
    """Each block goes anywhere."""
    return of.block_reach_lines / of.blocks > _WIDE * of.reach_lines
