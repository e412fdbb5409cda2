"""The counters of a launch."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class CounterSite:
    """What one line's loads, stores or branches cost."""

    file: str  # as the compiler wrote it
    line: int  # from 1
    kind: str  # "global load", "shared store", "branch", …
    executions: int = 0  # by warps
    lanes: int = 0  # sum over executions
    sectors: int = 0  # of 32 bytes, of global memory; of constant memory: words; of a match: values
    ideal_sectors: int = 0  # that the lanes' bytes fill
    wavefronts: int = 0  # of shared memory
    ideal_wavefronts: int = 0  # without bank conflicts; of an atomic: tries
    lines: int = 0  # of 128 bytes, of global memory
    divergent: int = 0  # of a branch: how often it split a warp
    ptx_line: int = 0  # from 1; 0: not known
    allocation: int = 0  # that it accessed first: Footprint.allocation
    sampled: int = 0  # executions by sampled blocks: Footprint.requests
    missed: int = 0  # of these loads, those with a sector that is not in the lines the warp loaded last


@dataclass(frozen=True)
class Footprint:
    """Accesses of one kind by sampled blocks to one allocation. All counts but the last are sums over these
    blocks.
    """

    kind: str  # "load", "store" or "atomic"
    allocation: int  # its serial number
    allocation_bytes: int  # its size
    blocks: int  # that were looked at
    requests: int  # by warps
    bytes: int  # asked for by lanes
    sectors: int  # of each request
    lines: int  # of 128 bytes, of each request
    passes: int  # of loads, through banks like those of shared memory
    missed_sectors: int  # of loads, not in the 128 lines that the warp loaded last
    warp_sectors: int  # distinct ones of each warp
    block_sectors: int  # of each block
    pair_sectors: int  # of each pair of neighbours
    launch_sectors: int  # of all of them together
    launch_lines: int  # distinct lines of 128 bytes, of all blocks together
    reach_lines: int  # from the lowest to the highest
    block_reach_lines: int  # the same of each block
    on_a_word: int  # of atomics: most lanes on one word of each sector
    joined_sectors: int = 0  # of stores, that the warp had written shortly before


@dataclass(frozen=True)
class Mix:
    """What warps executed of the machine code: see perfmodel/machine_code/instruction_mix.py."""

    warps: float  # that were launched
    instructions: float  # that warps executed
    collisions: float  # cycles that multiply-adds wait for a bank of registers
    by_kind: dict[str, float]  # instructions; a "float atomic" is an "atomic" too
    accesses: dict[str, float]  # by kind and bytes a lane: "shared load 16"
    alone: float  # cycles that one warp needs if it has the SM to itself
    turns: float  # of the loop with a barrier that ran most often, by one warp; 0: no such loop
    guarded: dict[str, float] = field(default_factory=dict)  # of by_kind, those that a predicate guards
    simulated: float = 0.0  # cycles of the SM with the most blocks: perfmodel/issue.py; 0: not simulated


@dataclass(frozen=True)
class Launch:
    label: str  # the case's name, or "time/256x256x256/student"
    kernel: str  # name of the kernel
    grid: tuple[int, ...]  # blocks: x, y, z
    block: tuple[int, ...]  # threads: x, y, z
    counters: dict[str, int]  # by Nsight Compute's names of metrics
    sites: tuple[CounterSite, ...] = ()  # by line
    launch: int = 1  # number of the launch, from 1
    dynamic_shared: int = 0  # bytes a block
    footprints: tuple[Footprint, ...] = ()  # by allocation and kind of access
    argument_bytes: int = 0  # of the allocations that its arguments point into
    from_cubin: tuple[str, ...] = ()  # counters that say what the machine code does; others are PTX's
    from_cubin_in_part: tuple[str, ...] = ()  # the same, where the machine code says only a part
    blocks: tuple[tuple[int, int], ...] = ()  # basic blocks: first line of PTX, executions by warps
    mix: Mix | None = None  # None if there is no machine code
