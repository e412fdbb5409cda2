"""The arithmetic that a handout teaches: loads, operations, blocks on an SM, bandwidth, latency.

Every number in a handout comes from a function here or from `gpu.occupancy`, so that another tile or GPU
changes the text, too. Sizes are in elements unless a name says bytes. An element is a 4-byte float.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..tables.hardware import BANKS, WARP

FLOAT_BYTES = 4


@dataclass(frozen=True)
class TileTraffic:
    """What one block with two square shared tiles does in one phase."""

    tile: int

    @property
    def threads(self) -> int:
        return self.tile * self.tile

    @property
    def warps(self) -> int:
        return math.ceil(self.threads / WARP)

    @property
    def loads(self) -> int:
        """Elements read from global memory: one of each tile by each thread."""
        return 2 * self.threads

    @property
    def operations(self) -> int:
        """Multiplications and additions: `tile` of each by each thread."""
        return 2 * self.tile * self.threads

    @property
    def operations_per_load(self) -> int:
        return self.operations // self.loads

    @property
    def shared_bytes(self) -> int:
        return 2 * self.threads * FLOAT_BYTES


@dataclass(frozen=True)
class Residency:
    """How many blocks of one kernel an SM holds. `limiter`: the resource that allows the fewest."""

    blocks: int
    threads: int
    limiter: str

    @property
    def warps(self) -> int:
        return math.ceil(self.threads / WARP)


@dataclass(frozen=True)
class RegisterTile:
    """A block tile built from outputs a thread, lanes of a warp and warps of a block.

    Each pair is (columns, rows): thread 4×4, lanes 8×4 and warps 2×2 make 64 × 32 outputs.
    """

    outputs: tuple[int, int]
    lanes: tuple[int, int]
    warps: tuple[int, int]
    k_tile: int

    def __post_init__(self) -> None:
        if self.lanes[0] * self.lanes[1] != WARP:
            raise ValueError(f"{self.lanes[0]} × {self.lanes[1]} lanes are not one warp of {WARP}")

    @property
    def columns(self) -> int:
        return self.outputs[0] * self.lanes[0] * self.warps[0]

    @property
    def rows(self) -> int:
        return self.outputs[1] * self.lanes[1] * self.warps[1]

    @property
    def threads(self) -> int:
        return WARP * self.warps[0] * self.warps[1]

    @property
    def outputs_per_thread(self) -> int:
        return self.outputs[0] * self.outputs[1]

    @property
    def loads(self) -> int:
        """Elements of both inputs that the block reads from global memory in one phase."""
        return self.k_tile * (self.columns + self.rows)

    @property
    def operations(self) -> int:
        return 2 * self.k_tile * self.columns * self.rows

    @property
    def operations_per_load(self) -> float:
        return self.operations / self.loads

    @property
    def shared_reads_per_multiply_add(self) -> float:
        """Operands that a thread fetches from shared memory for each multiply-add."""
        return (self.outputs[0] + self.outputs[1]) / self.outputs_per_thread


def tile_traffic(tile: int) -> TileTraffic:
    """One phase of a block with two shared tiles of `tile` × `tile`."""
    if tile < 1:
        raise ValueError(f"a tile is at least 1 wide, not {tile}")
    return TileTraffic(tile)


def phases(inner: int, tile: int) -> int:
    """Phases that cover the inner dimension; the last one may be partly outside."""
    return math.ceil(inner / tile)


def grid(columns: int, rows: int, tile_columns: int, tile_rows: int) -> tuple[int, int]:
    """Blocks across and down that cover a matrix of so many columns and rows."""
    return math.ceil(columns / tile_columns), math.ceil(rows / tile_rows)


def residency(
    *,
    threads: int,
    shared_bytes: int,
    sm_threads: int,
    sm_shared_bytes: int,
    sm_blocks: int | None = None,
    registers: int = 0,
    sm_registers: int | None = None,
) -> Residency:
    """Blocks on one SM by the lectures' arithmetic: the minimum over all resources, as students compute it.

    GPUs also round registers and shared memory up to allocation units; `gpu.occupancy` does that.
    """
    limits = {"threads": sm_threads // threads}
    if shared_bytes:
        limits["shared memory"] = sm_shared_bytes // shared_bytes
    if sm_blocks is not None:
        limits["blocks"] = sm_blocks
    if sm_registers is not None and registers:
        limits["registers"] = sm_registers // (registers * threads)
    limiter = min(limits, key=lambda name: limits[name])
    return Residency(limits[limiter], limits[limiter] * threads, limiter)


def pending_loads(blocks: int, tile: int) -> int:
    """Global loads that the blocks of one SM can have in flight at once in a loading step."""
    return blocks * tile_traffic(tile).loads


def registers_per_thread(sm_registers: int, sm_threads: int) -> int:
    """Registers that each thread may use if the SM is to hold `sm_threads` of them."""
    return sm_registers // sm_threads


def warps_to_hide(latency: float, instructions: int, cycles_each: float) -> int:
    """Warps that keep an SM busy while one waits `latency` cycles between runs of `instructions`."""
    return math.ceil(latency / (instructions * cycles_each))


def bandwidth_for(gflops: float, operations_per_load: float = 1.0) -> float:
    """GB/s that `gflops` needs at so many operations per loaded element."""
    return gflops * FLOAT_BYTES / operations_per_load


def gflops_within(bandwidth: float, operations_per_load: float = 1.0) -> float:
    """GFLOP/s that `bandwidth` GB/s allows at so many operations per loaded element."""
    return bandwidth / FLOAT_BYTES * operations_per_load


def peak_gflops(sms: int, lanes: float, gigahertz: float, operations: int = 2) -> float:
    """GFLOP/s of `sms` × `lanes` units, each `operations` a cycle (a fused multiply-add is two)."""
    return sms * lanes * operations * gigahertz


def idle_threads(rows: int, columns: int, block_columns: int, block_rows: int) -> int:
    """Threads of a grid of whole blocks that have no element of a rows × columns matrix."""
    across, down = grid(columns, rows, block_columns, block_rows)
    return across * down * block_columns * block_rows - rows * columns


def threads_in_flight(sms: int, sm_threads: int) -> int:
    """Threads that a whole GPU holds at a time."""
    return sms * sm_threads


def warp_cycles(lanes: int) -> int:
    """Cycles that one instruction of a warp takes on so many lanes."""
    return math.ceil(WARP / lanes)


def registers_limit(sm_registers: int, registers: int) -> int:
    """Threads that an SM's registers allow, in whole warps, by plain division."""
    return sm_registers // registers // WARP * WARP


def bank_passes(words: Iterable[int], banks: int = BANKS) -> int:
    """Passes of shared memory for these words: the most distinct words in one bank."""
    counts = Counter(word % banks for word in set(words))
    return max(counts.values(), default=0)


def stride_passes(stride: int, lanes: int = WARP, banks: int = BANKS) -> int:
    """Passes of shared memory where each lane reads the word `stride` words behind its neighbour's."""
    return bank_passes(range(0, lanes * stride, stride), banks) if stride else 1


def paddings_without_conflict(columns: int, row: int, most: int) -> list[int]:
    """Paddings from 1 to `most` words with which a warp's stores take one pass.

    Lane i stores to row i mod `columns` of a tile whose rows have `row` words, at place i // columns.
    """

    def words(padding: int) -> list[int]:
        return [lane % columns * (row + padding) + lane // columns for lane in range(WARP)]

    return [padding for padding in range(1, most + 1) if bank_passes(words(padding)) == 1]


def squares_for(count: int) -> int:
    """The smallest side whose square is at least `count`."""
    return math.isqrt(count - 1) + 1 if count > 0 else 0


def largest_square_block(block_threads: int) -> int:
    """Side of the largest square block that has so many threads at most."""
    return math.isqrt(block_threads)


def gflops(operations: float, milliseconds: float) -> float:
    """GFLOP/s of so many floating-point operations in so long a time."""
    return operations / (milliseconds * 1e6)


def divergent_passes(lanes: Iterable[int]) -> int:
    """Paths that a warp runs one after the other when lane i takes path lanes[i]."""
    return len(set(lanes))


def compare_and_swap(old: int, compare: int, value: int) -> tuple[int, int]:
    """atomicCAS: the value that it returns, and the value that it leaves in memory."""
    return old, value if old == compare else old


def doubling_scan(count: int) -> list[list[tuple[int, int]]]:
    """Steps of Kogge and Stone's scan of `count` numbers: pairs of places (from, to) that are added."""
    distances = [2**step for step in range((count - 1).bit_length())]
    return [[(place - distance, place) for place in range(distance, count)] for distance in distances]


def tree_scan(count: int) -> list[list[tuple[int, int]]]:
    """Steps of Brent and Kung's scan, as doubling_scan() lists them; `count` is a power of 2."""
    distances = [2**step for step in range((count - 1).bit_length())]
    up = [[(to - each, to) for to in range(2 * each - 1, count, 2 * each)] for each in distances]
    down = [
        [(to - each, to) for to in range(3 * each - 1, count, 2 * each)] for each in reversed(distances[:-1])
    ]
    return up + down


def pipeline(pieces: int, stages: Sequence[float], slots: int) -> list[list[float]]:
    """When each stage begins each piece: `begins[piece][stage]`, in the unit of the stages' times.

    A stage does one piece at a time. It puts what it makes into one of `slots` places, which is free again
    when the next stage has done the piece that was there.
    """
    begins: list[list[float]] = []
    for piece in range(pieces):
        row: list[float] = []
        for stage, _ in enumerate(stages):
            waits = [row[-1] + stages[stage - 1]] if stage else [0.0]
            if piece:
                waits.append(begins[-1][stage] + stages[stage])
            if piece >= slots and stage + 1 < len(stages):
                waits.append(begins[piece - slots][stage + 1] + stages[stage + 1])
            row.append(max(waits))
        begins.append(row)
    return begins


def pipeline_time(pieces: int, stages: Sequence[float], slots: int) -> float:
    """The time until the last stage has done the last piece."""
    return pipeline(pieces, stages, slots)[-1][-1] + stages[-1] if pieces else 0.0
