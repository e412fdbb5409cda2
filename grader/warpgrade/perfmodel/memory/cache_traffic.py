"""Estimates L1 and L2 miss traffic of a launch from the footprints of sampled blocks.

No cache is emulated. For some blocks and each allocation, the emulator counts unique and repeated sectors
(records.Footprint). The estimate assumes:

- A warp hits in L1 what it loaded shortly before, and one warp's load serves the other warps of its block.
- If the sectors of an SM's resident blocks fit into L1, each is loaded once. Otherwise L1 keeps a share of
  them.
- The launch has as many load requests as were counted: a sampled block may stand at the border of the grid,
  where it does little.
- A sector beside others is loaded from device memory once, because blocks that share it run at the same
  time. If each block reaches most of the allocation, all blocks that run together load it once, and later
  ones again, as far as L2 cannot hold the allocation. A sector that lies by chance is loaded for each use
  that does not hit in L2, and all 64 bytes with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...gpu.spec import GpuSpec
from ...records import Footprint, Launch, Occupancy
from ...tables import nsight
from ...tables.hardware import LINE, SECTOR, WARP

# A footprint is scattered if a block's neighbour touches less than _BESIDE of its sectors, and if a line has
# fewer than _APART touched ones: an H200 read 64 bytes for each 32 by chance, however many of them were used.
# Stores leave sectors incomplete if a block uses less than _COMPLETE of their bytes.
_COMPLETE, _BESIDE, _APART = 0.5, 0.25, 2.0
_HALF = SECTOR // 2
# Stores that a warp writes side by side, one after the other, go to L2 together if each touches up to
# _JOINED_LINES, and in part up to _APART_LINES. An H200 wrote 12.6 to 14.8 million sectors for words 2 to 4
# apart, 34 and 42 for 5 and 6, where 63 and 75 were stored, and 94 of 101 for 8.
_JOINED_LINES, _APART_LINES = 4.0, 7.5
# Transfers between L2 and device memory for one scattered word: an atomic reads and writes it.
_TRANSFERS = {"load": 1, "store": 1, "atomic": 2}
# Blocks are disjoint if more than this share of their sectors is their own.
_APART_BLOCKS = 0.9
# A block is wide if its lines span more than this share of the span of all blocks.
_WIDE = 0.5
# Copies that a footprint and the counter of load requests do not count alike.
_COPIES = (nsight.ASYNC_COPIES, nsight.ASYNC_COPY_BYTES)
# The latency of loads is that of the slowest allocation with at least this share of the requests.
_TELLING = 0.1
# Warps of a block share loads if the block has less than this share of the sum of their sectors.
_SHARED = 0.5


@dataclass(frozen=True)
class Traffic:
    """Sums over the whole launch."""

    requests: float  # for loads
    passes: float  # of loads through L1
    store_passes: float  # of stores
    store_lines: float  # lines that stores write, counted for each request
    whole_sectors: float  # sectors that one request of a store writes as a whole
    joined_sectors: float  # of stores that go to L2 with those before
    sectors: float  # of loads that miss L1
    lines: float  # of loads that miss L1
    dense_bytes: float  # between L2 and device memory, of footprints that are not scattered
    written_bytes: float  # the part of dense_bytes that stores write
    scattered_bytes: float  # between L2 and device memory, of scattered footprints
    missing: float  # share of the loads that miss L1, of the slowest allocation
    far: float  # share of these misses that go to device memory
    waits: dict[int, tuple[float, float]]  # `missing` and `far` by allocation
    uncached: dict[int, float]  # by allocation: _GridFootprint.uncached
    shared: bool  # most loads that miss L1 are shared by the warps of a block


def traffic(launch: Launch, gpu: GpuSpec, occupancy: Occupancy | None, alone: bool = True) -> Traffic | None:
    """The traffic of a launch, None if it has no footprints. `alone`: it runs by itself. Otherwise it is a
    part of a larger launch, and its blocks do not hit in L1 what earlier blocks loaded.
    """
    if not launch.footprints:
        return None
    seen = max(each.blocks for each in launch.footprints)
    scale = _scale(launch, seen)
    parts = [_part(each, seen, scale, launch, gpu, occupancy, alone) for each in launch.footprints]
    capacity = gpu.fitted.l2_kept * gpu.cache / SECTOR
    held = min(1.0, capacity / max(1.0, math.fsum(part.touched for part in parts if part.scattered)))
    loads = [part for part in parts if part.of.kind == "load"]
    stores = [part for part in parts if part.of.kind == "store"]
    requests = math.fsum(part.requests for part in loads)
    telling = [part for part in loads if part.requests >= _TELLING * requests]
    slowest = max(telling, key=lambda part: part.missing * (1 + part.far(held)), default=None)
    return Traffic(
        requests,
        max(0.0, math.fsum(part.passes for part in loads) - _past_l1(launch)),
        math.fsum(part.passes for part in stores),
        math.fsum(part.lines for part in stores),
        math.fsum(part.beyond * part.whole for part in stores),
        math.fsum(part.beyond * part.joined / (1 - part.joined) for part in stores),
        math.fsum(part.beyond for part in loads),
        math.fsum(part.lines for part in loads),
        math.fsum(
            (part.touched * (1 + part.filled) + part.again) * SECTOR for part in parts if not part.scattered
        ),
        math.fsum(part.touched * SECTOR for part in stores if not part.scattered),
        math.fsum(part.from_memory(held) * _TRANSFERS[part.of.kind] for part in parts if part.scattered)
        * gpu.fitted.scattered_bytes,
        slowest.missing if slowest else 0.0,
        slowest.far(held) if slowest else 0.0,
        {part.of.allocation: (part.missing, part.far(held)) for part in loads},
        {part.of.allocation: part.uncached for part in loads},
        _shared(loads),
    )


def _scale(launch: Launch, seen: int) -> float:
    """Factor from the loads of the `seen` sampled blocks to those of the launch."""
    sampled = sum(each.requests for each in launch.footprints if each.kind == "load")
    counted = launch.counters.get(nsight.GLOBAL_LOAD_REQUESTS, 0)
    if not sampled or not counted or any(launch.counters.get(name) for name in _COPIES):
        return math.prod(launch.grid) / seen
    return counted / sampled


def _past_l1(launch: Launch) -> float:
    """Lines that asynchronous copies of 16 bytes (.cg) bring from L2 into shared memory, past L1.

    An H200 counted one wavefront of the data pipe for each such copy, however its rows lay in both memories.
    """
    copies = (each for each in launch.sites if each.kind == "shared asynchronous copy")
    return math.fsum(each.lines for each in copies if not each.wavefronts)


def _shared(loads: Sequence[_GridFootprint]) -> bool:
    of_warps = sum(part.of.warp_sectors for part in loads)
    waiting = any(part.missing > _SHARED for part in loads)
    return waiting and sum(part.of.block_sectors for part in loads) < _SHARED * of_warps


@dataclass(frozen=True)
class _GridFootprint:
    """One allocation's footprint, scaled from the sampled blocks to the whole grid."""

    of: Footprint
    requests: float
    passes: float
    beyond: float  # sectors that go to L2: of loads, those that miss L1
    touched: float  # distinct sectors
    missing: float  # share of the requests that miss L1
    within_l2: bool  # what a block reaches, with all that run at the same time
    kept: float = 0.0  # share of a warp's misses that other warps or earlier blocks have brought into L1
    again: float = 0.0  # sectors that later blocks load from device memory once more, if not scattered

    @property
    def scattered(self) -> bool:
        of = self.of
        return beside(of) < _BESIDE and of.launch_sectors < _APART * of.launch_lines and not self.near

    @property
    def near(self) -> bool:
        """Whether blocks that run at the same time touch the same sectors, which L2 keeps meanwhile."""
        return self.of.pair_sectors < self.of.block_sectors and self.within_l2

    @property
    def joined(self) -> float:
        return joined(self.of)

    @property
    def lines(self) -> float:
        """Lines of 128 bytes that go to L2, each counted for each request."""
        return self.beyond * self.of.lines / self.of.sectors

    @property
    def whole(self) -> float:
        """Share of a store's sectors that its request writes whole: all but the ends of a row.

        Halves that lanes write as vectors of 16 bytes count as well: an H200 took no longer for them.
        """
        written = min(1.0, self.of.bytes / (self.of.sectors * (1 - self.joined) * SECTOR))
        if self.of.bytes >= _HALF * WARP * self.of.requests:
            return min(1.0, 2 * written)
        return max(0.0, 2 * written - 1)

    @property
    def filled(self) -> float:
        """Share of the sectors that L2 reads from device memory because stores write only a part of them.

        An H200 read the output of `C[4 * i] = …` once (dram__bytes_read.sum). Sectors that neighbouring
        blocks share are taken for complete.
        """
        of = self.of
        if of.kind != "store" or beside(of) >= _BESIDE:
            return 0.0
        return min(1.0, max(0.0, 1 - of.bytes / (of.block_sectors * SECTOR)) / _COMPLETE)

    @property
    def uncached(self) -> float:
        """Share of the requests that miss L1, of those for which the warp has not loaded all sectors itself:
        one line that misses is enough."""
        return float(1 - self.kept ** (self.of.lines / self.of.requests))

    def from_memory(self, held: float) -> float:
        """Sectors from device memory, if L2 holds the share `held` of the scattered sectors."""
        if not self.scattered:
            return self.touched
        return max(self.beyond * (1 - held), min(self.touched, self.beyond))

    def far(self, held: float) -> float:
        """Share of the L1 misses that wait for device memory, which is that of the slowest line of a
        request."""
        if not self.beyond:
            return 0.0
        line = 1 - held if self.scattered else min(1.0, (self.touched + self.again) / self.beyond)
        return float(1 - (1 - line) ** (self.of.lines / self.of.requests))


def _part(
    of: Footprint,
    seen: int,
    scale: float,
    launch: Launch,
    gpu: GpuSpec,
    occupancy: Occupancy | None,
    alone: bool,
) -> _GridFootprint:
    """`seen`: blocks that were sampled, including those that do not access this allocation. `scale`: see
    _scale()."""
    blocks = math.prod(launch.grid) * of.blocks / seen
    on_sm = max(1.0, blocks / gpu.sm_count)
    resident = min(on_sm, occupancy.blocks) if occupancy else 1.0
    reached = 2 * of.block_reach_lines * LINE + resident * gpu.sm_count * of.block_sectors * SECTOR
    within_l2 = reached / of.blocks <= gpu.fitted.l2_kept * gpu.cache
    if of.kind != "load":
        passes = max(of.lines, of.bytes / LINE) * scale
        beyond = of.sectors * (1 - joined(of)) * scale
        return _GridFootprint(of, of.requests * scale, passes, beyond, touched(of, blocks), 0.0, within_l2)
    # If several warps of a block miss the same sector, the block loads it once.
    missed = of.missed_sectors * of.block_sectors / of.warp_sectors / of.blocks
    capacity = gpu.fitted.l1_kept * gpu.l1 / SECTOR
    again = 1 - min(1.0, touched(of, on_sm) / (missed * on_sm)) if alone else 0.0
    kept = again * min(1.0, capacity / touched(of, resident))
    missing = min(1.0, of.missed_sectors / of.requests * (1 - kept))
    passes = max(of.passes, of.lines / gpu.fitted.l1_tags, of.bytes / LINE) * scale
    return _GridFootprint(
        of,
        of.requests * scale,
        passes,
        missed * (1 - kept) * scale * of.blocks,
        touched(of, blocks),
        missing,
        within_l2,
        kept,
        _again(of, blocks, resident * gpu.sm_count, gpu),
    )


def _again(of: Footprint, blocks: float, together: float, gpu: GpuSpec) -> float:
    """Sectors that blocks load once more than the first time from device memory, `together` of them running
    at a time. If blocks are wide, later ones reach what the first ones did."""
    of_all = touched(of, blocks)
    loaded = touched(of, together) * blocks / together
    if not wide(of) or loaded <= of_all:
        return 0.0
    return (loaded - of_all) * max(0.0, 1 - gpu.fitted.l2_kept * gpu.cache / SECTOR / of_all)


def touched(of: Footprint, blocks: float) -> float:
    """Distinct sectors of `blocks` blocks, extrapolated from the share that only one sampled block
    touches."""
    of_one = of.block_sectors / of.blocks
    own = (of.launch_sectors / of_one - 1) / (of.blocks - 1) if of.blocks > 1 else 1.0
    # If sampled blocks overlap or are wide, the others stay within the same span. Otherwise they may go
    # further.
    reach = of.allocation_bytes or math.inf
    if own < _APART_BLOCKS or wide(of):
        reach = min(reach, of.reach_lines * LINE * _beyond_sample(of, blocks))
    return max(of_one, min(of_one * (1 + (blocks - 1) * own), reach / SECTOR))


def _beyond_sample(of: Footprint, blocks: float) -> float:
    """Reach of `blocks` blocks, relative to that of the sampled ones. Of n pairs, the outermost lie in the
    first and in the last nth of the grid."""
    pairs = -(-of.blocks // 2)
    return pairs / (pairs - 1) if blocks > of.blocks and pairs > 1 and not wide(of) else 1.0


def joined(of: Footprint) -> float:
    """Share of a store's sectors that go to L2 with those that its warp wrote just before."""
    together = (_APART_LINES - of.lines / of.requests) / (_APART_LINES - _JOINED_LINES)
    return of.joined_sectors / of.sectors * max(0.0, min(1.0, together))


def beside(of: Footprint) -> float:
    """Share of a block's sectors that the neighbouring block also touches."""
    return 2 * (1 - of.pair_sectors / of.block_sectors)


def wide(of: Footprint) -> bool:
    """Whether each block accesses most of the allocation's span."""
    return of.block_reach_lines / of.blocks > _WIDE * of.reach_lines
