"""How often each part of a kernel's machine code ran in a launch.

The emulator runs PTX and counts it; the card runs what ptxas made of it (sass.py). The two are brought
together part by part: what lies outside all loops runs once a warp, and a loop ran as often as its
barriers, multiply-adds or accesses need to add up to what was counted; code that a branch can skip is a
part of its own, which ran at most as often as the code around it. That holds through unrolling, merging
of loads and other code motion, for ptxas leaves out none of that work.

A part is the number of its loop, -1 outside all; what can be skipped in part p is part _SKIPPED + p.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set

from ..build.sass import Code, Instruction, Loop
from ..core import nsight
from ..core.hardware import WARP
from ..records import Launch, Mix

_Parts = dict[int, list[Instruction]]

# The most telling first: a barrier is neither merged nor left out for part of a warp.
_BY_COUNT = {
    "barrier": nsight.BARRIERS,
    "atomic": nsight.GLOBAL_ATOMICS,
}
_BY_LANE = {
    "ffma": nsight.FFMA,
    "global load": nsight.GLOBAL_LOAD_BYTES,
    "global store": nsight.GLOBAL_STORE_BYTES,
}
_MOST_TELLING = ("barrier", "ffma", "atomic", "global load", "shared load", "shared store", "global store")
_FETCHES = ("global load", "asynchronous copy")
_IDLE = ("nothing",)
_LEAVING = ("branch", "exit", "return")  # a basic block
_TOLD_BY_SITE = ("global load", "global store", "atomic")
_BULK, _BULK_SITE = "bulk copy", "shared asynchronous copy"
_BULK_CYCLES = 16  # a lane's turn takes 53 on an H200, and the stalls that are written into it are 37
_SITES = {f"{space} {what}" for space in ("global", "generic") for what in ("load", "store", "atomic")}
_SKIPPED = 1 << 20
_BOARDS = 6  # scoreboards of a warp


def mix(code: Code, launch: Launch, latency: Callable[[Instruction], float], transfer: float = 0.0) -> Mix:
    """`latency`: cycles from the issue of an instruction until what waits for its result may go on.

    `transfer`: cycles that all warps of a block take to have come what they load by one instruction. Where a
    barrier follows, each waits for the last of them.
    """
    parts = _parts(code, _never_run(code, launch))
    runs = _executions(parts, code.loops, launch)
    kinds: defaultdict[str, float] = defaultdict(float)
    accesses: defaultdict[str, float] = defaultdict(float)
    instructions = collisions = 0.0
    for home, own in parts.items():
        times = runs[home]
        instructions += times * len(own)
        collisions += times * sum(each.collides for each in own)
        kinds["float atomic"] += times * sum(each.floating for each in own)
        for (kind, width), count in Counter((each.kind, each.bytes) for each in own).items():
            kinds[kind] += times * count
            if width:
                accesses[f"{kind} {width}"] += times * count
    warps = runs[-1]
    coupled = _holding_barriers(code)
    alone = sum(
        times * _cycles_alone(parts[home], _turns(code, home), latency, transfer if home in coupled else 0.0)
        for home, times in runs.items()
    )
    barriers = (runs[home] / warps for home, own in parts.items() if home >= 0 and _holds(own, "barrier"))
    turns = max(barriers, default=0.0)
    return Mix(warps, instructions, collisions, dict(kinds), dict(accesses), alone / warps, turns)


def _turns(code: Code, home: int) -> int:
    """How often to go through a part to see what it costs once it is under way."""
    return 2 if 0 <= home < len(code.loops) else 1


def _holding_barriers(code: Code) -> set[int]:
    """Loops with a barrier in them, what can be skipped there, and loops within."""
    found: set[int] = set()
    for number, loop in enumerate(code.loops):
        holding = [other for other in code.loops if other.first <= loop.first and loop.last <= other.last]
        if any(_holds(code.instructions[other.first : other.last + 1], "barrier") for other in holding):
            found |= {number, _SKIPPED + number}
    return found


def _holds(own: Sequence[Instruction], kind: str) -> bool:
    return any(each.kind == kind for each in own)


def _executions(parts: _Parts, loops: Sequence[Loop], launch: Launch) -> dict[int, float]:
    """How often warps ran through each part's own instructions."""
    counted = _counted(launch)
    held: dict[str, dict[int, float]] = {kind: {} for kind in counted}
    for home, own in parts.items():
        for instruction in own:
            if instruction.kind in held:
                of = held[instruction.kind]
                of[home] = of.get(home, 0.0) + float(instruction.bytes or 1)
    runs: dict[int, float] = _by_line(parts, launch)
    runs[-1] = float(math.prod(launch.grid) * -(-math.prod(launch.block) // WARP))
    for kind in _MOST_TELLING:
        of = held.get(kind, {})
        known = sum(amount * runs[home] for home, amount in of.items() if home in runs)
        open_ones = {home: amount for home, amount in of.items() if home not in runs}
        if open_ones:
            runs |= _shared_out(max(0.0, counted[kind] - known), _working(loops, open_ones), runs)
    runs |= _lanes_copying(parts, loops, launch)
    telling = {home for of in held.values() for home in of}
    for home in sorted(parts):
        if home > len(loops):
            runs.setdefault(home, runs.get(home - _SKIPPED, 0.0))
        elif home in telling:
            runs.setdefault(home, 0.0)  # what is left over of an unrolled loop
    return _rest(parts, loops, launch, runs)


def _by_line(parts: _Parts, launch: Launch) -> dict[int, float]:
    """Of parts with global accesses that are nowhere else: as often as warps came to those lines of PTX."""
    came: defaultdict[int, float] = defaultdict(float)
    for site in launch.sites:
        if site.ptx_line and site.kind in _SITES:
            came[site.ptx_line] += site.executions
    copies = {
        home: Counter(each.line for each in own if each.kind in _TOLD_BY_SITE and each.line in came)
        for home, own in parts.items()
    }
    everywhere = Counter(line for of in copies.values() for line in of)
    runs = {}
    for home, of in copies.items():
        own = [line for line in of if everywhere[line] == 1]
        if own:
            runs[home] = sum(came[line] for line in own) / sum(of[line] for line in own)
    return runs


def _lanes_copying(parts: _Parts, loops: Sequence[Loop], launch: Launch) -> dict[int, float]:
    """Loops that ptxas makes of a bulk copy, which the machine does for one lane at a time."""
    lanes: defaultdict[int, float] = defaultdict(float)
    for site in launch.sites:
        if site.kind == _BULK_SITE:
            lanes[site.ptx_line] += site.executions
    lines = {
        home: [each.line for each in own if each.kind == _BULK]
        for home, own in parts.items() if 0 <= home < len(loops)
    }  # fmt: skip
    everywhere = Counter(line for of in lines.values() for line in of)
    return {
        home: sum(lanes[line] / everywhere[line] for line in of) / len(of) for home, of in lines.items() if of
    }


def _rest(parts: _Parts, loops: Sequence[Loop], launch: Launch, runs: dict[int, float]) -> dict[int, float]:
    """Loops that hold nothing telling take the instructions that PTX has left, as what holds them ran."""
    silent = {home: float(len(own)) for home, own in parts.items() if own and home not in runs}
    known = sum(len(own) * runs[home] for home, own in parts.items() if home in runs)
    left = max(0.0, launch.counters.get(nsight.WARP_INSTRUCTIONS, 0) - known)
    around = {home: max(1.0, runs.get(_around(home, loops), 0.0)) for home in silent}
    weight = sum(length * around[home] for home, length in silent.items())
    empty = [home for home, own in parts.items() if not own and home not in runs]
    found = {home: left * around[home] / weight for home in silent}
    return runs | found | dict.fromkeys(empty, 0.0)


def _around(home: int, loops: Sequence[Loop]) -> int:
    """The loop that holds a loop, -1 where none does."""
    if not 0 <= home < len(loops):
        return home - _SKIPPED
    own = loops[home]
    holding = [
        number for number, loop in enumerate(loops)
        if number != home and loop.first <= own.first and own.last <= loop.last
    ]  # fmt: skip
    return min(holding, key=lambda number: loops[number].last - loops[number].first, default=-1)


def _shared_out(left: float, working: Mapping[int, float], runs: Mapping[int, float]) -> dict[int, float]:
    """Equal numbers of runs for all parts, less for those whose surroundings ran less often."""
    found: dict[int, float] = {}
    waiting = dict(working)
    while waiting:
        share = left / sum(waiting.values())
        bounded = {
            home: runs[home - _SKIPPED] for home in waiting if runs.get(home - _SKIPPED, share) < share
        }
        if not bounded:
            return found | dict.fromkeys(waiting, share)
        found |= bounded
        left = max(0.0, left - sum(working[home] * times for home, times in bounded.items()))
        waiting = {home: amount for home, amount in waiting.items() if home not in bounded}
    return found


def _never_run(code: Code, launch: Launch) -> set[int]:
    """Numbers of the instructions in basic blocks all of whose global accesses come from lines of PTX that no
    warp came to: what is left over of an unrolled loop, or the loop where only that ran."""
    reached = {site.ptx_line for site in launch.sites if site.ptx_line}
    if not reached:
        return set()
    starts = {0, len(code.instructions)}
    for number, each in enumerate(code.instructions):
        if each.kind in _LEAVING:
            starts |= {number + 1, each.target} if each.target >= 0 else {number + 1}
    found: set[int] = set()
    for first, behind in itertools.pairwise(sorted(starts)):
        lines = {each.line for each in code.instructions[first:behind] if each.kind in _TOLD_BY_SITE}
        if lines and 0 not in lines and reached.isdisjoint(lines):
            found.update(range(first, behind))
    return found


def _parts(code: Code, never: Set[int] = frozenset()) -> _Parts:
    """The instructions of each part that are run, in their order."""
    homes = _homes(code)
    end = max(min((each.target for each in code.instructions if each.kind == "call"), default=len(homes)), 1)
    parts: _Parts = {home: [] for home in dict.fromkeys([-1, *homes])}
    for number, instruction in enumerate(code.instructions):
        # Not what only fills the section up, nor the slow way of a division that is called.
        if instruction.kind not in _IDLE and number < end and number not in never:
            parts[homes[number]].append(instruction)
    return parts


def _homes(code: Code) -> list[int]:
    """The part of each instruction."""
    homes = code.homes()
    parts = list(homes)
    for number, instruction in enumerate(code.instructions):
        if instruction.kind == "branch" and number < instruction.target:
            for skipped in range(number + 1, instruction.target):
                if homes[skipped] == homes[number]:
                    parts[skipped] = _SKIPPED + homes[number]
    return parts


def _working(loops: Sequence[Loop], open_ones: Mapping[int, float]) -> dict[int, float]:
    """Of nested loops the inner ones; of those side by side not what is left over of an unrolled one."""

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
    """What the warps did by kind: instructions, or bytes a lane of accesses."""
    counters = launch.counters
    warp, thread = counters.get(nsight.WARP_INSTRUCTIONS, 0), counters.get(nsight.THREAD_INSTRUCTIONS, 0)
    lanes = thread / warp if warp and thread else float(WARP)
    found = {kind: float(counters[name]) for kind, name in _BY_COUNT.items() if name in counters}
    found |= {kind: counters[name] / lanes for kind, name in _BY_LANE.items() if name in counters}
    for kind in ("shared load", "shared store"):
        found[kind] = sum(site.lanes for site in launch.sites if site.kind == kind) * 4 / lanes
    return found


def _cycles_alone(
    own: Sequence[Instruction], turns: int, latency: Callable[[Instruction], float], transfer: float
) -> float:
    """Once through a part's own instructions by a warp that has the SM to itself, in its last turn."""
    ready = [0.0] * _BOARDS
    now = begin = moved = 0.0
    steps = [
        (each, latency(each) if each.sets >= 0 else 0.0, transfer if each.kind in _FETCHES else 0.0)
        for each in own
    ]
    for _ in range(turns):
        begin = now
        for instruction, later, passing in steps:
            waits, sets = instruction.waits, instruction.sets
            if waits:
                now = max(now, *(ready[board] for board in range(_BOARDS) if waits >> board & 1))
            now += max(1, instruction.stall) + instruction.collides
            now += _BULK_CYCLES if instruction.kind == _BULK else 0
            if 0 <= sets < _BOARDS:
                if passing:
                    moved = max(moved, now + later) + passing
                ready[sets] = max(ready[sets], moved if passing else now + later)
    if turns == 1:
        now = max(now, *ready)
    return now - begin
