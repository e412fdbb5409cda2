"""How often each part of a kernel's machine code ran in a launch.

The emulator executes and counts PTX; the GPU executes the machine code that ptxas made of it (sass.py). The
counts are distributed over parts of the machine code. Code outside all loops runs once for each warp. A loop
runs so often that its barriers, multiply-adds or accesses add up to the counted ones. Code that a branch can
skip is a part of its own, which runs at most as often as the code around it. ptxas unrolls loops, merges
loads and moves code, but it removes none of the counted work.

A part is the number of its loop, or -1 outside all loops. The part of skippable code in part p is SKIPPED +
p. Where the executions of PTX's basic blocks are known, they correct what is found here (block_runs.py).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ...build.sass import Code, Instruction, Loop
from ...records import Launch
from ...tables import nsight
from ...tables.hardware import WARP
from .block_runs import SKIPPED, BlockRuns, Executions, basic_blocks, loop_of

_Parts = dict[int, list[Instruction]]

# Counters by kind of instruction: those that count instructions, and those that count lanes or their bytes.
_BY_COUNT = {
    "barrier": nsight.BARRIERS,
    "atomic": nsight.GLOBAL_ATOMICS,
}
_BY_LANE = {
    "ffma": nsight.FFMA,
    "global load": nsight.GLOBAL_LOAD_BYTES,
    "global store": nsight.GLOBAL_STORE_BYTES,
}
# Counters that are of the machine code, if the emulator could match its accesses with those of PTX.
_SHARED = {
    "shared load": nsight.SHARED_LOAD_INSTRUCTIONS,
    "shared store": nsight.SHARED_STORE_INSTRUCTIONS,
}
# Operations of a float instruction, in the machine code and in counted PTX.
_OPERATIONS = {"ffma": 2.0, "fp32": 1.0}
_COUNTED_OPERATIONS = {nsight.FFMA: 2.0, nsight.FADD: 1.0, nsight.FMUL: 1.0}
# The most reliable kind first: a barrier is never merged, and all lanes of a warp execute it.
_MOST_TELLING = ("barrier", "ffma", "atomic", "global load", "shared load", "shared store", "global store")
_COUNTED_BY_SITE = ("global load", "global store", "atomic", "asynchronous copy")
_ACCESSES = (*_COUNTED_BY_SITE, "shared load", "shared store")
_BRANCH = "branch"
_SHARED_ATOMIC = "shared atomic"
BULK, _COPY_SITE = "bulk copy", "shared asynchronous copy"
_SITES = {f"{space} {what}" for space in ("global", "generic") for what in ("load", "store", "atomic")} | {
    _COPY_SITE
}


@dataclass(frozen=True)
class PartRuns:
    """How often warps executed each part of the machine code. Loop -1 is the code outside all loops."""

    own: dict[int, list[Instruction]]  # of each part, those that can execute, in order
    part: list[int | None]  # of each instruction; None: it cannot execute
    around: list[int]  # of each loop, the innermost one around it
    runs: dict[int, float]  # by part, of all warps together

    def mean(self, part: int, loop: int) -> float:
        """How often a part within a loop runs in one of its iterations."""
        iterations = self.runs.get(loop, 0.0)
        return self.runs.get(part, 0.0) / iterations if iterations else 0.0


def part_runs(code: Code, launch: Launch) -> PartRuns:
    able = _executable(code, _never_run(code, launch) | _slow_paths(code))
    homes = _homes(code)
    part = [home if runs else None for home, runs in zip(homes, able, strict=True)]
    around = [_around(home, code.loops) for home in range(len(code.loops))]
    own = _own(code, [-1, *homes], part)
    runs = _executions(own, code.loops, launch)
    if launch.blocks:
        BlockRuns(code, part, around, Executions(launch.blocks), runs, _turns(launch)).settle()
        own = _own(code, [-1, *range(len(code.loops)), *(home for home in part if home is not None)], part)
    return PartRuns(own, part, around, {home: runs.get(home, 0.0) for home in own})


def _turns(launch: Launch) -> dict[int, float]:
    """Iterations of an atomic of floats in shared memory, by its line: it tries again while lanes that meet
    on a word change it."""
    return {
        site.ptx_line: site.ideal_wavefronts / site.executions
        for site in launch.sites
        if site.kind == _SHARED_ATOMIC and site.executions
    }


def _own(code: Code, homes: Sequence[int], part: Sequence[int | None]) -> _Parts:
    own: _Parts = {home: [] for home in dict.fromkeys(homes)}
    for home, instruction in zip(part, code.instructions, strict=True):
        if home is not None:
            own[home].append(instruction)
    return own


def _executions(parts: _Parts, loops: Sequence[Loop], launch: Launch) -> dict[int, float]:
    """How often warps executed each part. A part does not contain those within it."""
    counted = _counted(launch)
    held: dict[str, dict[int, float]] = {kind: {} for kind in counted}
    for home, own in parts.items():
        for instruction in own:
            if instruction.kind in held:
                of = held[instruction.kind]
                of[home] = of.get(home, 0.0) + float(instruction.bytes or 1)
    runs, at_least = _by_line(parts, launch)
    runs[-1] = float(math.prod(launch.grid) * -(-math.prod(launch.block) // WARP))
    for kind in _MOST_TELLING:
        of = held.get(kind, {})
        if _SHARED.get(kind) in launch.from_cubin:
            runs = _by_shared_line(kind, parts, launch) | runs
        known = sum(amount * runs[home] for home, amount in of.items() if home in runs)
        open_ones = {home: amount for home, amount in of.items() if home not in runs}
        if open_ones:
            found = _shared_out(max(0.0, counted[kind] - known), _working(loops, open_ones), runs)
            least = _by_operations(parts, launch, runs) if kind == "ffma" else 0.0
            runs |= {home: max(times, least) for home, times in found.items()}
        if kind == "barrier":
            runs = at_least | runs
    runs |= _lanes_copying(parts, loops, launch)
    telling = {home for of in held.values() for home in of}
    for home in sorted(parts):
        if home > len(loops):
            runs.setdefault(home, runs.get(home - SKIPPED, 0.0))
        elif home in telling:
            runs.setdefault(home, 0.0)  # the remainder of an unrolled loop
    return _rest(parts, loops, launch, runs)


def _by_operations(parts: _Parts, launch: Launch, runs: Mapping[int, float]) -> float:
    """The least executions of the parts with multiply-adds, from all operations on floats.

    ptxas contracts a product and a sum of PTX into one multiply-add, so that its loops have more of these
    than were counted. The number of operations stays, or grows where a division is expanded.
    """
    counted = {name: launch.counters.get(name, 0) for name in _COUNTED_OPERATIONS}
    if not all(counted.values()):
        return 0.0
    held = {home: sum(_OPERATIONS.get(each.kind, 0.0) for each in own) for home, own in parts.items()}
    known = sum(amount * runs[home] for home, amount in held.items() if home in runs)
    left = sum(counted[name] * times for name, times in _COUNTED_OPERATIONS.items()) / _lanes(launch) - known
    return max(0.0, left / sum(amount for home, amount in held.items() if home not in runs))


def _by_line(parts: _Parts, launch: Launch) -> tuple[dict[int, float], dict[int, float]]:
    """Executions of parts that have a global access whose PTX line occurs once in the machine code.

    The second ones are of parts in which all of these have predicates: there, only warps in which one holds
    for a lane were counted.
    """
    came: defaultdict[int, float] = defaultdict(float)
    for site in launch.sites:
        if site.ptx_line and site.kind in _SITES:
            came[site.ptx_line] += site.executions
    copies = {
        home: [each for each in own if each.kind in _COUNTED_BY_SITE and each.line in came]
        for home, own in parts.items()
    }
    homes = Counter(line for of in copies.values() for line in {each.line for each in of})
    runs: tuple[dict[int, float], dict[int, float]] = {}, {}
    for home, of in copies.items():
        alone = [each for each in of if homes[each.line] == 1]
        always = [each for each in alone if not each.guarded]
        lines = [each.line for each in always or alone]
        if lines:
            runs[not always][home] = sum(came[line] for line in set(lines)) / len(lines)
    return runs


def _by_shared_line(kind: str, parts: _Parts, launch: Launch) -> dict[int, float]:
    """Executions of parts with accesses to shared memory whose PTX line no other part has.

    The emulator knows which lines ptxas merged and unrolled, and counts what the machine code executes.
    """
    came: Counter[int] = Counter()
    for site in launch.sites:
        if site.kind == kind and site.ptx_line:
            came[site.ptx_line] += site.executions
    copies = {home: Counter(each.line for each in own if each.kind == kind) for home, own in parts.items()}
    homes = Counter(line for of in copies.values() for line in of)
    alone = {line for line in came if homes[line] == 1 and came[line]}
    own_lines = {home: alone.intersection(of) for home, of in copies.items()}
    return {
        home: sum(came[line] for line in lines) / sum(copies[home][line] for line in lines)
        for home, lines in own_lines.items()
        if lines
    }


def _lanes_copying(parts: _Parts, loops: Sequence[Loop], launch: Launch) -> dict[int, float]:
    """Executions of the loops that ptxas makes of bulk copies: one iteration for each lane that copies."""
    lanes: defaultdict[int, float] = defaultdict(float)
    for site in launch.sites:
        if site.kind == _COPY_SITE:
            lanes[site.ptx_line] += site.executions
    lines = {
        home: [each.line for each in own if each.kind == BULK]
        for home, own in parts.items() if 0 <= home < len(loops)
    }  # fmt: skip
    everywhere = Counter(line for of in lines.values() for line in of)
    return {
        home: sum(lanes[line] / everywhere[line] for line in of) / len(of) for home, of in lines.items() if of
    }


def _rest(parts: _Parts, loops: Sequence[Loop], launch: Launch, runs: dict[int, float]) -> dict[int, float]:
    """Loops without counted kinds share the remaining PTX instructions, weighted by runs of the loop around
    them."""
    silent = {home: float(len(own)) for home, own in parts.items() if own and home not in runs}
    known = sum(len(own) * runs[home] for home, own in parts.items() if home in runs)
    left = max(0.0, launch.counters.get(nsight.WARP_INSTRUCTIONS, 0) - known)
    around = {home: max(1.0, runs.get(_around(home, loops), 0.0)) for home in silent}
    weight = sum(length * around[home] for home, length in silent.items())
    empty = [home for home, own in parts.items() if not own and home not in runs]
    branches = _branches(launch)
    found = {
        home: _as_often(left * around[home] / weight, branches.get(_back(parts, loops, home), 0.0))
        for home in silent
    }
    return runs | found | dict.fromkeys(empty, 0.0)


def _branches(launch: Launch) -> dict[int, float]:
    """How often warps executed each branch, by line of PTX."""
    return {
        site.ptx_line: float(site.executions)
        for site in launch.sites
        if site.kind == _BRANCH and site.ptx_line
    }


def _back(parts: _Parts, loops: Sequence[Loop], home: int) -> int:
    """PTX line of the branch at a loop's end, 0 if there is none."""
    own = parts[home]
    return own[-1].line if 0 <= home < len(loops) and own and own[-1].kind == _BRANCH else 0


def _as_often(estimated: float, branched: float) -> float:
    """The executions of a loop whose PTX branches back `branched` times; ptxas may have unrolled it."""
    return branched / max(1, round(branched / estimated)) if branched and estimated else estimated


def _around(home: int, loops: Sequence[Loop]) -> int:
    """The innermost loop around a loop, -1 if there is none."""
    if not 0 <= home < len(loops):
        return loop_of(home)
    own = loops[home]
    holding = [
        number for number, loop in enumerate(loops)
        if number != home and loop.first <= own.first and own.last <= loop.last
    ]  # fmt: skip
    return min(holding, key=lambda number: loops[number].last - loops[number].first, default=-1)


def _shared_out(left: float, working: Mapping[int, float], runs: Mapping[int, float]) -> dict[int, float]:
    """Executions of parts that together do `left` of the counted work: the same number for all, but for none
    more than the part around it has. `working`: the work of one execution.
    """
    found: dict[int, float] = {}
    waiting = dict(working)
    while waiting:
        share = left / sum(waiting.values())
        bounded = {home: runs[home - SKIPPED] for home in waiting if runs.get(home - SKIPPED, share) < share}
        if not bounded:
            return found | dict.fromkeys(waiting, share)
        found |= bounded
        left = max(0.0, left - sum(working[home] * times for home, times in bounded.items()))
        waiting = {home: amount for home, amount in waiting.items() if home not in bounded}
    return found


def _never_run(code: Code, launch: Launch) -> set[int]:
    """Instructions in basic blocks that no warp executed: the remainder of an unrolled loop, or the unrolled
    loop if only its remainder ran. All accesses to memory of such a block come from PTX lines that no warp
    executed, or its branch does."""
    came: dict[int, int] = {}
    for site in launch.sites:
        if site.ptx_line:
            came[site.ptx_line] = came.get(site.ptx_line, 0) + site.executions
    found: set[int] = set()
    for numbers in basic_blocks(code) if came else ():
        block = [code.instructions[number] for number in numbers]
        lines = {each.line for each in block if each.kind in _ACCESSES}
        skipped = any(each.kind == _BRANCH and came.get(each.line, 1) == 0 for each in block)
        if skipped or (lines and 0 not in lines and not any(came.get(line) for line in lines)):
            found.update(numbers)
    return found


def _slow_paths(code: Code) -> set[int]:
    """Instructions around the call of a division's slow path, in a basic block that a branch skips."""
    found: set[int] = set()
    for numbers in basic_blocks(code):
        calls = any(code.instructions[number].kind == "call" for number in numbers)
        if calls and numbers.start and code.instructions[numbers.start - 1].target == numbers.stop:
            found.update(numbers)
    return found


def _executable(code: Code, never: Set[int]) -> list[bool]:
    """Whether each instruction can execute: not padding, the branch to itself at the end, the slow path of a
    division, or one of `never`."""
    count = len(code.instructions)
    end = max(min((each.target for each in code.instructions if each.kind == "call"), default=count), 1)
    # Behind the branch to itself at the end there is padding; the same instruction is __syncwarp() before it.
    last = next((number for number, each in enumerate(code.instructions) if each.target == number), end)
    return [number < min(end, last) and number not in never for number in range(count)]


def _homes(code: Code) -> list[int]:
    """The part of each instruction."""
    homes = code.homes()
    parts = list(homes)
    for number, instruction in enumerate(code.instructions):
        if instruction.kind == "branch" and number < instruction.target:
            for skipped in range(number + 1, instruction.target):
                if homes[skipped] == homes[number]:
                    parts[skipped] = SKIPPED + homes[number]
    return parts


def _working(loops: Sequence[Loop], open_ones: Mapping[int, float]) -> dict[int, float]:
    """The parts that do the work, of those whose executions are unknown: of nested loops the innermost, and
    no remainders of unrolled loops.
    """

    def holds_another(home: int) -> bool:
        if home < 0 or home >= len(loops):
            return False
        loop = loops[home]
        return any(
            other != home and loop.first <= loops[other].first and loops[other].last <= loop.last
            for other in open_ones
            if 0 <= other < len(loops)
        )

    inner = {home: amount for home, amount in open_ones.items() if not holds_another(home)}
    return {home: amount for home, amount in inner.items() if amount > max(inner.values()) / 2}


def _counted(launch: Launch) -> dict[str, float]:
    """The counted work of all warps by kind: instructions, or bytes that a lane accesses."""
    counters, lanes = launch.counters, _lanes(launch)
    found = {kind: float(counters[name]) for kind, name in _BY_COUNT.items() if name in counters}
    found |= {kind: counters[name] / lanes for kind, name in _BY_LANE.items() if name in counters}
    for kind in ("shared load", "shared store"):
        found[kind] = sum(site.lanes for site in launch.sites if site.kind == kind) * 4 / lanes
    return found


def _lanes(launch: Launch) -> float:
    """Active lanes of an instruction, on average."""
    warp = launch.counters.get(nsight.WARP_INSTRUCTIONS, 0)
    thread = launch.counters.get(nsight.THREAD_INSTRUCTIONS, 0)
    return thread / warp if warp and thread else float(WARP)
