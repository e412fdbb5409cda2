"""A model of a launch's time, calibrated on an H200 (grader/emulator/README.md has the table).

Each resource of an SM gets the time that its own work would take if the SM did nothing else. They
overlap, but not fully: the launch takes a norm of them, close to the largest. Work comes from the
emulator's counters and, where the machine code is at hand, from what that executes (mix.py); rates
come from grader/gpus/<model>.toml.

- Issue: one warp instruction a scheduler and cycle, and one more where operands of a multiply-add lie
  in one bank of registers.
- One data pipe for shared memory and L1: a wavefront of it carries 128 bytes, or one line.
- Latency: a warp alone takes so many cycles for its instructions and for what they wait for; the warps
  that an SM holds do so at the same time. A barrier couples the warps of a block, and so do lines that all of
  them load from L1, for these come when the first of them has waited for L2: then the blocks take turns.
- Blocks are dealt out whole: an SM with one more than the others decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .gpu import Gpu
from .mix import mix
from .records import CounterSite, Launch, Mix, Occupancy, Size
from .sass import Code, Instruction

_SECTOR = 32  # bytes
_FLOAT = 4  # bytes
_WAVEFRONT = 128  # bytes
_WARP = 32
# How far resources hide behind one another: 1 would add their times up, infinity take the largest. A warp
# that has loaded ahead leaves gaps of less than _GAPS of its time, and others have less to hide.
_NORM, _MIXED_NORM, _GAPS = 4, 2.5, 0.3
# The same for waiting against working.
_LATENCY_NORM, _MIXED_LATENCY_NORM = 6, 3
# What a full card reaches of the rates in its table (start, end and barriers cost the rest).
_EFFICIENCY, _MIXED_EFFICIENCY = 0.92, 0.98
# Loads that one warp keeps in flight before it waits; compilers hoist the loads of an unrolled loop.
_LOADS_IN_FLIGHT = 4
# Most loads of a product hit L1, whose latency is about a quarter of L2's on average.
_LATENCY_SHARE = 0.25
# Sectors that one SM's share of L2 takes of stores in a cycle.
_L2_WRITES = 0.3
# A slice of L2 takes so many cycles for the part of an atomic that lies in one sector, and for each lane of
# it. Neighbouring lines lie in one slice, so many; of slices as many work at a time. From atomics on 2^3 to
# 2^24 words, side by side and apart.
_ATOMIC_SECTOR, _ATOMIC_LANE, _SLICE_LINES, _SLICES = 0.71, 0.19, 8.0, 47.0
# Share of its data-sheet rate that device memory reaches, and that it reaches with words here and there,
# of which it moves 64 bytes each.
_MEMORY_REACHED, _SCATTERED_REACHED, _SCATTERED_BYTES = 0.89, 0.57, 64
# An access touches lines here and there when it touches so many times the sectors that it needs.
_SCATTERED = 3.0
# Where bytes are loaded more often than this and none is staged in shared memory, L1 serves this share.
_REUSE, _L1_HITS = 4.0, 0.9
# ptxas makes one 128-bit load of four neighbouring scalar loads of an unrolled loop. Measured on such
# kernels: 3/4 of the wavefronts of loads without conflicts are left, 1/4 of those with 32-way ones.
_MERGED, _MERGED_POWER = 0.75, 0.7
# Cycles that a scheduler's pipe takes for one warp instruction, relative to one a cycle.
_PIPES = {
    "arithmetic": {"ffma": 1, "fp32": 1, "multiply": 2},
    "integer units": {"integer": 2},
    "special functions": {"special": 8},
    "double precision": {"fp64": 2},
}
_ISSUE_PIPES = frozenset({"integer units", "special functions", "double precision"})  # beside "arithmetic"
_FAR = ("L2 cache", "device memory")
_SPECIAL_LATENCY, _BARRIER_LATENCY, _OTHER_LATENCY = 20, 30, 15  # cycles
LATENCY = "memory latency"
_GLOBAL_ATOMICS = ("global atomic", "generic atomic")
DATA_PIPE = ("shared memory", "L1 cache")

_ARITHMETIC = (
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
)
_SHARED_LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
_SHARED_STORES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
_SHARED_STORE_INSTRUCTIONS = "smsp__inst_executed_op_shared_st.sum"
_LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
_STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
_LOCAL_SECTORS = (
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
)
_LOADED_BYTES = "smsp__sass_data_bytes_mem_global_op_ld.sum"
_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
_LINES = "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum"
_ATOMICS = "smsp__inst_executed_op_global_atom.sum"  # warps; neighbouring words, and a load each
_ATOMIC_SECTORS = 4  # of one warp's atomic where the counters do not say how far apart its lanes are
_INSTRUCTIONS = "smsp__inst_executed.sum"


@dataclass(frozen=True)
class Overlap:
    """How far the resources of an SM hide behind one another.

    `turn`: share of what all its blocks work that one of them takes while its own warps get in each
    other's way; 0 where they do not wait for one another.
    """

    power: float
    latency_power: float
    turn: float = 0.0


@dataclass(frozen=True)
class ModelledTime:
    milliseconds: float
    bound: str  # the resource that sets it
    cycles: dict[str, float]  # of an SM, by resource
    overlap: Overlap


def with_mix(launch: Launch, code: Code, once: float, gpu: Gpu) -> Launch:
    """The launch with what its machine code executed."""
    return replace(
        launch, mix=mix(code, launch, lambda instruction: _latency(instruction, launch, once, gpu))
    )


def launch_time(
    launch: Launch, size: Size, gpu: Gpu, occupancy: Occupancy | None, whole: Size | None = None
) -> ModelledTime:
    """Time of one launch for C (m×n) = A (m×k) · B (k×n), as if it were large enough to fill the card.

    `whole`: the product that a GPU is timed with, of which this one is a part: see part_of.
    """
    found = time_of(launch, part_of(size, whole or size), gpu, occupancy)
    return replace(found, milliseconds=max(found.milliseconds, floor(size, gpu)))


def part_of(size: Size, whole: Size) -> float:
    """Bytes that cross the card's memory for a product of `size` as a part of a larger one.

    Small products use each element less often: by themselves they would all be bound by memory.
    """
    return once(whole) * math.prod(size) / math.prod(whole)


def once(size: Size) -> float:
    """Bytes of the three matrices: each crosses the card's memory at least once."""
    m, n, k = size
    return float((m * k + k * n + m * n) * _FLOAT)


def floor(size: Size, gpu: Gpu) -> float:
    """Milliseconds that no product of this size can go below: the roof of arithmetic or of memory."""
    m, n, k = size
    arithmetic = 2.0 * m * n * k / (2 * gpu.fp32_lanes * gpu.sm_count * gpu.clock_hz)
    return 1e3 * max(arithmetic, once(size) / gpu.memory_bytes_per_second if once(size) > gpu.cache else 0.0)


def time_of(
    launch: Launch, once: float, gpu: Gpu, occupancy: Occupancy | None, alone: bool = False
) -> ModelledTime:
    """Time of one launch of any kernel that moves at least `once` bytes through the card's memory.

    `alone`: with the blocks that it has; else as one of many that keep the card full.
    """
    cycles = _cycles(launch, once, gpu, occupancy, alone)
    tail = _tail(launch, gpu) if alone else 1.0
    overlap = _overlap(launch, once, gpu, occupancy)
    total = together(cycles, overlap) / (_MIXED_EFFICIENCY if launch.mix else _EFFICIENCY)
    overhead = gpu.launch_seconds * gpu.clock_hz if alone else 0.0
    return ModelledTime((total * tail + overhead) / gpu.clock_hz * 1e3, _bound(cycles), cycles, overlap)


def together(cycles: dict[str, float], overlap: Overlap) -> float:
    """Cycles of an SM with all its resources at work: a norm of what each would take alone."""
    pipe = sum(cycles[name] for name in DATA_PIPE)  # one pipe serves both
    others = {name: time for name, time in cycles.items() if name not in (*DATA_PIPE, LATENCY)}
    waiting = cycles[LATENCY]
    if _ISSUE_PIPES.isdisjoint(others):  # from PTX alone
        working = _norm((pipe, *others.values()), overlap.power)
        return _norm((working, waiting), overlap.latency_power)
    far = max(others.pop(name) for name in _FAR)  # what passes the one passes the other
    issue = max(others.values())
    working = _norm((pipe, far, issue), overlap.power)
    coupled = waiting + max(pipe, issue) * overlap.turn if overlap.turn else 0.0
    return max(_norm((working, waiting), overlap.latency_power), coupled)


def _overlap(launch: Launch, once: float, gpu: Gpu, occupancy: Occupancy | None) -> Overlap:
    mixed = launch.mix
    if mixed is None:
        return Overlap(_NORM, _LATENCY_NORM)
    busy = (mixed.instructions + mixed.collisions) / (mixed.warps * mixed.alone) if mixed.alone else 0.0
    power = _MIXED_NORM * max(1.0, _GAPS / max(1 - busy, 0.01))
    turn = 0.0
    if occupancy and occupancy.blocks and (mixed.turns > 1 or _l1_hits(launch, once)):
        turn = max(0.0, 1 - gpu.warp_instructions / _warps(launch)) / occupancy.blocks
    return Overlap(power, _MIXED_LATENCY_NORM, turn)


def _warps(launch: Launch) -> int:
    """Of a block."""
    return -(-math.prod(launch.block) // _WARP)


def _norm(times: Sequence[float], power: float) -> float:
    largest = max(times)
    return largest * math.fsum((time / largest) ** power for time in times) ** (1 / power) if largest else 0.0


def _bound(cycles: dict[str, float]) -> str:
    pipe = sum(cycles[name] for name in DATA_PIPE)
    others = {name: time for name, time in cycles.items() if name not in DATA_PIPE}
    largest = max(others, key=lambda name: others[name])
    return max(DATA_PIPE, key=lambda name: cycles[name]) if pipe >= others[largest] else largest


def _tail(launch: Launch, gpu: Gpu) -> float:
    """By how much the SM with most blocks has more to do than the average."""
    blocks = math.prod(launch.grid) / gpu.sm_count
    return math.ceil(blocks) / blocks


# --- resources ---------------------------------------------------------------------------------


def _cycles(
    launch: Launch, once: float, gpu: Gpu, occupancy: Occupancy | None, alone: bool
) -> dict[str, float]:
    """Cycles of an SM by resource."""
    sms = gpu.sm_count
    stored, atomic = _total(launch, _STORE_SECTORS), _atomic_sectors(launch)
    written = stored + atomic
    loaded = _total(launch, _LOAD_SECTORS) * (1 - _l1_hits(launch, once)) if launch.mix else 0.0
    through_l1 = _load_wavefronts(launch) + (written + _total(launch, *_LOCAL_SECTORS)) * _SECTOR / _WAVEFRONT
    cycles = _mixed(launch, gpu) if launch.mix else _counted(launch, gpu)
    cycles |= {
        "shared memory": _shared_wavefronts(launch) * _WAVEFRONT / (sms * gpu.shared_bytes),
        "L1 cache": through_l1 * _WAVEFRONT / (sms * gpu.l1_bytes),
        "L2 cache": (stored / _L2_WRITES + loaded * _SECTOR / gpu.l2_bytes) / sms
        + _atomic_cycles(launch, gpu),
        "device memory": once / gpu.memory_bytes_per_second * gpu.clock_hz,
    }
    if launch.mix:
        cycles["device memory"] /= _MEMORY_REACHED
        far = _missing_bytes(launch, gpu) / _SCATTERED_REACHED / gpu.memory_bytes_per_second * gpu.clock_hz
        cycles["device memory"] = max(cycles["device memory"], far)
        cycles[LATENCY] = _waiting(launch.mix, gpu, occupancy, alone)
    else:  # Little's law: what the warps on the card can have under way
        warps = max(1, occupancy.warps) if occupancy else gpu.limits.warps
        latency = gpu.l2_latency * _LATENCY_SHARE
        requests = _total(launch, _REQUESTS, _ATOMICS)
        cycles[LATENCY] = requests * latency / (sms * warps * _LOADS_IN_FLIGHT)
    return cycles


def _total(launch: Launch, *names: str) -> float:
    return float(sum(launch.counters.get(name, 0) for name in names))


def _counted(launch: Launch, gpu: Gpu) -> dict[str, float]:
    """From PTX alone."""
    return {
        "instruction issue": _total(launch, _INSTRUCTIONS) / (gpu.sm_count * gpu.warp_instructions),
        "arithmetic": _total(launch, *_ARITHMETIC) / (gpu.sm_count * gpu.fp32_lanes),
    }


def _mixed(launch: Launch, gpu: Gpu) -> dict[str, float]:
    assert launch.mix is not None
    slots = gpu.sm_count * gpu.warp_instructions
    found = {"instruction issue": (launch.mix.instructions + launch.mix.collisions) / slots}
    for pipe, kinds in _PIPES.items():
        found[pipe] = sum(launch.mix.by_kind.get(kind, 0.0) * cost for kind, cost in kinds.items()) / slots
    return found


def _waiting(mixed: Mix, gpu: Gpu, occupancy: Occupancy | None, alone: bool) -> float:
    """Cycles until all warps have gone their way, as many at a time as the SM holds."""
    if occupancy is None or occupancy.warps == 0:
        return 0.0
    resident = float(occupancy.warps)
    if alone:
        resident = min(resident, max(1.0, mixed.warps / gpu.sm_count))
    return mixed.warps / gpu.sm_count * mixed.alone / resident


def _latency(instruction: Instruction, launch: Launch, once: float, gpu: Gpu) -> float:
    """Cycles from issue until what waits for the result goes on, on a card that does nothing else."""
    kind = instruction.kind
    if kind in ("global load", "asynchronous copy"):
        hits, moved = _l1_hits(launch, once), _total(launch, _LOAD_SECTORS, _STORE_SECTORS) * _SECTOR
        far = min(1.0, once / moved) if moved else 1.0
        if hits:  # lines that all warps of a block want: none has them before they have come from L2
            return float(gpu.l2_latency)
        return gpu.l2_latency * (1 - far) + gpu.memory_latency * far
    known = {
        "shared load": gpu.shared_latency, "local load": gpu.l1_latency, "atomic": gpu.l2_latency,
        "shared atomic": 2 * gpu.shared_latency, "special": _SPECIAL_LATENCY, "barrier": _BARRIER_LATENCY,
        "shuffle": gpu.shared_latency,
    }  # fmt: skip
    return float(known.get(kind, _OTHER_LATENCY))


def _l1_hits(launch: Launch, once: float) -> float:
    """Share of the loaded sectors that L1 serves: a guess, for the emulator has no cache."""
    moved = _total(launch, _LOAD_SECTORS) * _SECTOR
    staged = _total(launch, _SHARED_STORE_INSTRUCTIONS) > 0.3 * _total(launch, _REQUESTS)
    return 0.0 if staged or moved < _REUSE * once else _L1_HITS


# --- passes through the data pipe --------------------------------------------------------------


def _atomic_sectors(launch: Launch) -> float:
    by_site = [
        site for site in launch.sites if site.kind in ("global atomic", "generic atomic") and site.sectors
    ]
    if by_site:
        return float(sum(site.sectors for site in by_site))
    return _total(launch, _ATOMICS) * _ATOMIC_SECTORS


def _atomic_cycles(launch: Launch, gpu: Gpu) -> float:
    """Until L2 has done the atomics: in all its slices, or in the few that hold the lines that they want."""
    sites = [site for site in launch.sites if site.kind in _GLOBAL_ATOMICS and site.executions]
    if not sites:
        return _atomic_sectors(launch) / (gpu.sm_count * _L2_WRITES)
    work = ((_ATOMIC_SECTOR * site.sectors + _ATOMIC_LANE * site.lanes, site) for site in sites)
    return sum(cycles / min(_SLICES, max(1.0, _atomic_lines(site) / _SLICE_LINES)) for cycles, site in work)


def _atomic_lines(site: CounterSite) -> float:
    """Lines of L2 that all atomics of a site go to, if their lanes are drawn at random from these; else many.

    Of `lanes` lanes on D sectors, D·(1 - (1 - 1/D)^lanes) are touched on average: solved for D.
    """
    sectors, lanes = site.sectors / site.executions, site.lanes / site.executions
    crowded = lanes > sectors * _SECTOR / _FLOAT  # more of them than a sector has words
    if not crowded and (site.sectors == site.ideal_sectors or sectors > 0.99 * lanes):
        return math.inf  # side by side, or each somewhere else
    low, high = 1.0, 1e6
    while high - low > 0.01 * low:
        middle = math.sqrt(low * high)
        touched = middle * (1 - (1 - 1 / middle) ** lanes) if middle > 1 else 1.0
        low, high = (middle, high) if touched < sectors else (low, middle)
    return max(1.0, low * _SECTOR / _WAVEFRONT)


def _missing_bytes(launch: Launch, gpu: Gpu) -> float:
    """Of accesses that touch words here and there once a thread, where the data are too large for L2."""
    if launch.mix is None or launch.argument_bytes <= gpu.cache:
        return 0.0
    once = [
        site for site in launch.sites
        if site.kind in ("global load", "global store") and site.executions <= 2 * launch.mix.warps
    ]  # fmt: skip
    far = sum(site.sectors for site in once if site.sectors > _SCATTERED * max(1, site.ideal_sectors))
    near = sum(site.sectors for site in once) - far
    return float(far * _SCATTERED_BYTES + near * _SECTOR) if far else 0.0


def _load_wavefronts(launch: Launch) -> float:
    """Passes of global loads through L1: one for each line that a request touches, and for each 128 bytes."""
    by_site = [site for site in launch.sites if site.kind == "global load" and site.executions > 0]
    if _LINES in launch.counters:
        lines = _total(launch, _LINES)
    elif by_site:
        lines = sum(site.executions * _lines(site) for site in by_site)
    else:
        requests = _total(launch, _REQUESTS)
        lines = (requests + _total(launch, _LOAD_SECTORS)) / 2 if requests else 0.0
    return max(lines, _total(launch, _LOADED_BYTES) / _WAVEFRONT)


def _lines(site: CounterSite) -> float:
    """Lines that one request of this site touches, from its sectors; counters do not tell them apart."""
    sectors = site.sectors / site.executions
    if sectors > site.ideal_sectors / site.executions:
        return sectors  # scattered: each in a line of its own
    if sectors >= _WAVEFRONT / _SECTOR:
        return sectors * _SECTOR / _WAVEFRONT  # lanes side by side
    return (1 + sectors) / 2  # rows of a block, or part of a line


def _shared_wavefronts(launch: Launch) -> float:
    """Passes through shared memory, loads corrected for what ptxas merges; one for each without lanes."""
    loads, stores = _total(launch, _SHARED_LOADS), _total(launch, _SHARED_STORES)
    by_site = [site for site in launch.sites if site.kind == "shared load" and site.executions > 0]
    if _SHARED_LOADS in launch.from_cubin:
        pass
    elif launch.mix and by_site:
        loads = _merged(launch.mix, by_site)
    elif by_site:
        loads = sum(site.executions * _passes(site) for site in by_site)
    if launch.mix is None:
        return loads + stores
    executed = launch.mix.by_kind
    return max(loads, executed.get("shared load", 0.0)) + max(stores, executed.get("shared store", 0.0))


def _merged(mixed: Mix, sites: list[CounterSite]) -> float:
    """PTX's wavefronts where the machine code has the same loads; else each wide load takes two or more."""
    wavefronts, executions = sum(site.wavefronts for site in sites), sum(site.executions for site in sites)
    widths = {width: mixed.accesses.get(f"shared load {width}", 0.0) for width in (1, 2, 4, 8, 16)}
    if sum(widths.values()) > 0.97 * executions:
        return float(wavefronts)
    passes = wavefronts / executions
    return sum(times * (max(2.0, passes) if width == 16 else passes) for width, times in widths.items())


def _passes(site: CounterSite) -> float:
    passes = site.wavefronts / site.executions
    wide = site.ideal_wavefronts > site.executions  # more than 128 bytes a warp: a vector load already
    return passes if wide else _MERGED * passes**_MERGED_POWER
