"""What the warps of a launch executed of a kernel's machine code, summed up, and how long one of them takes
alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...build.sass import FETCHES, Code, Instruction
from ...records import Launch, Mix
from .block_runs import loop_of
from .part_runs import BULK, PartRuns, part_runs

_BOARDS = 6  # scoreboards of a warp


@dataclass(frozen=True)
class Penalties:
    """Cycles beyond the encoded stalls: for each of Instruction.collides, and for a bulk copy."""

    conflict: float = 1.0
    bulk_copy: float = 0.0


_ENCODED = Penalties()


def mix(
    code: Code,
    launch: Launch,
    latency: Callable[[Instruction], float],
    transfer: float = 0.0,
    penalties: Penalties = _ENCODED,
) -> Mix:
    """`latency`: cycles from the issue of an instruction until its result can be used.

    `transfer`: cycles until the data of one load instruction has arrived for all warps of a block. If a
    barrier follows, each warp waits for the last one.
    """
    found = part_runs(code, launch)
    warps = found.runs[-1]
    coupled = _holding_barriers(code)
    alone = sum(
        times
        * _cycles_alone(
            found.own[home],
            _turns(code, home),
            latency,
            transfer if loop_of(home) in coupled else 0.0,
            penalties,
        )
        for home, times in found.runs.items()
    )
    holding = (found.runs[home] for home, own in found.own.items() if home >= 0 and _holds(own, "barrier"))
    floating = {"float atomic": _executed(found, lambda each: each.floating)}
    return Mix(
        warps,
        sum(found.runs[home] * len(own) for home, own in found.own.items()),
        penalties.conflict * _executed(found, lambda each: each.collides),
        _count(found, lambda each: each.kind) | floating,
        _count(found, lambda each: f"{each.kind} {each.bytes}" if each.bytes else ""),
        alone / warps,
        max(holding, default=0.0) / warps,
        _count(found, lambda each: each.kind if each.guarded else ""),
    )


def _executed(found: PartRuns, amount: Callable[[Instruction], float]) -> float:
    """The sum of a value over all executed instructions."""
    return sum(found.runs[home] * sum(amount(each) for each in own) for home, own in found.own.items())


def _count(found: PartRuns, name: Callable[[Instruction], str]) -> dict[str, float]:
    """Executed instructions by this name; those without one do not count."""
    counts: defaultdict[str, float] = defaultdict(float)
    for home, own in found.own.items():
        for key, count in Counter(name(each) for each in own).items():
            if key:
                counts[key] += found.runs[home] * count
    return dict(counts)


def _turns(code: Code, home: int) -> int:
    """How often to simulate a part: a loop twice, because its first iteration does not wait for earlier
    loads."""
    return 2 if 0 <= home < len(code.loops) else 1


def _holding_barriers(code: Code) -> set[int]:
    """Loops with a barrier, and the loops within them."""
    found: set[int] = set()
    for number, loop in enumerate(code.loops):
        holding = [other for other in code.loops if other.first <= loop.first and loop.last <= other.last]
        if any(_holds(code.instructions[other.first : other.last + 1], "barrier") for other in holding):
            found.add(number)
    return found


def _holds(own: Sequence[Instruction], kind: str) -> bool:
    return any(each.kind == kind for each in own)


def _cycles_alone(
    own: Sequence[Instruction],
    turns: int,
    latency: Callable[[Instruction], float],
    transfer: float,
    penalties: Penalties,
) -> float:
    """Cycles of a warp alone on an SM for a part's own instructions, in the last of `turns` iterations."""
    ready = [0.0] * _BOARDS
    now = begin = moved = 0.0
    steps = [
        (each, latency(each) if each.sets >= 0 else 0.0, transfer if each.kind in FETCHES else 0.0)
        for each in own
    ]
    for _ in range(turns):
        begin = now
        for instruction, later, passing in steps:
            waits, sets = instruction.waits, instruction.sets
            if waits:
                now = max(now, *(ready[board] for board in range(_BOARDS) if waits >> board & 1))
            now += max(1, instruction.stall) + penalties.conflict * instruction.collides
            now += penalties.bulk_copy if instruction.kind == BULK else 0
            if 0 <= sets < _BOARDS:
                if passing:
                    moved = max(moved, now + later) + passing
                ready[sets] = max(ready[sets], moved if passing else now + later)
    if turns == 1:
        now = max(now, *ready)
    return now - begin
