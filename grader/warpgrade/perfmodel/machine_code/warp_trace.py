"""The instructions of the machine code that a warp executes, in order: what the simulation of issue runs.

How often each part ran is known as a mean over all warps (part_runs.py). The trace of one warp has that
mean, too: a part that runs in a third of the iterations is in every third one of the trace. Of an outermost
loop, only as many iterations are traced as show its pace; the others take as long. If loops do not set the
pace, blocks do: then the trace is that of several blocks, one after the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ...build.sass import Code
from ...records import Launch
from .part_runs import PartRuns, part_runs

# An outermost loop is cut to _ENOUGH instructions, but has at least _LEAST and at most _MOST iterations.
# Longer traces do not change the times of measured kernels.
_ENOUGH, _LEAST, _MOST = 8000, 10, 256
_LONGEST = 4000  # instructions of an iteration; a trace of longer ones would take too long
_PACED = 4  # a loop of so many iterations has a pace
_LONGEST_BLOCK = 2000  # instructions of a warp
_FEWEST_BLOCKS, _MOST_BLOCKS = 6, 10  # of a trace; the times of measured kernels do not change with more
# In a trace, besides numbers of instructions: all warps of a block have ended; the next block starts in its
# place.
BLOCK_ENDS, BLOCK_STARTS = -1, -2
_ROUNDING = 0.001


@dataclass(frozen=True)
class TracedLoop:
    """An outermost loop, or blocks one after the other.

    `begins`: where its iterations begin in the trace, and where the last one ends.
    """

    begins: tuple[int, ...]
    iterations: int  # that a warp executes; the trace may have fewer


@dataclass(frozen=True)
class WarpTrace:
    order: tuple[int, ...]  # numbers of instructions
    loops: tuple[TracedLoop, ...]

    @property
    def longest_iteration(self) -> int:
        return max((loop.begins[1] - loop.begins[0] for loop in self.loops), default=len(self.order))

    @property
    def in_loops(self) -> float:
        """Share of the instructions a warp executes that are in `loops`."""
        traced = [loop.begins[-1] - loop.begins[0] for loop in self.loops]
        executed = sum(
            length * loop.iterations / (len(loop.begins) - 1)
            for length, loop in zip(traced, self.loops, strict=True)
        )
        return executed / (len(self.order) - sum(traced) + executed) if self.order else 0.0


def trace(code: Code, launch: Launch) -> WarpTrace | None:
    """None if a loop's iteration is too long."""
    tracer = _Tracer(code, part_runs(code, launch))
    outermost = (loop for loop, around in enumerate(tracer.runs.around) if around < 0)
    if any(tracer.length(loop) > _LONGEST for loop in outermost):
        return None
    tracer.stretch(0, len(code.instructions) - 1, -1)
    return WarpTrace(tuple(tracer.order), tuple(tracer.loops))


def trace_of_blocks(code: Code, launch: Launch) -> WarpTrace | None:
    """What a warp and those that take its place execute. None if a block is too long."""
    tracer = _Tracer(code, part_runs(code, launch), whole=True)
    length = launch.mix.instructions / launch.mix.warps if launch.mix else math.inf
    if length > _LONGEST_BLOCK:
        return None
    begins = []
    for _ in range(min(_MOST_BLOCKS, max(_FEWEST_BLOCKS, int(_ENOUGH / length)))):
        begins.append(len(tracer.order))
        tracer.stretch(0, len(code.instructions) - 1, -1)
        tracer.order += [BLOCK_ENDS, BLOCK_STARTS]
    return WarpTrace(tuple(tracer.order), (TracedLoop((*begins, len(tracer.order)), 1),))


@dataclass
class _Tracer:
    code: Code
    runs: PartRuns
    whole: bool = False  # no loop is cut
    order: list[int] = field(default_factory=list)
    loops: list[TracedLoop] = field(default_factory=list)
    due: dict[int, float] = field(default_factory=dict)  # fractions of executions that are still due, by part

    def stretch(self, first: int, last: int, around: int) -> None:
        """Instructions `first` to `last` once, whose innermost loop is `around`."""
        within = {
            self.code.loops[loop].first: loop
            for loop, outer in enumerate(self.runs.around)
            if outer == around and first <= self.code.loops[loop].first <= last
        }
        comes: dict[int, bool] = {}
        number = first
        while number <= last:
            if number in within:
                self.loop(within[number], around)
                number = self.code.loops[within[number]].last
            elif (part := self.runs.part[number]) is not None:
                if part not in comes:
                    mean = min(1.0, self.runs.mean(part, around))
                    comes[part] = part == around or self.times(part, mean) > 0
                if comes[part]:
                    self.order.append(number)
            number += 1

    def times(self, part: int, mean: float) -> int:
        """How often a part runs this time, so that it comes to its mean in the long run."""
        due = self.due.get(part, 0.0) + mean
        times = int(due + _ROUNDING)
        self.due[part] = due - times
        return times

    def loop(self, number: int, around: int) -> None:
        loop = self.code.loops[number]
        times = self.times(number, self.runs.mean(number, around))
        kept = times
        if around < 0 and not self.whole:
            kept = min(times, _MOST, max(_LEAST, int(_ENOUGH / max(1.0, self.length(number)))))
        begins = []
        for _ in range(kept):
            begins.append(len(self.order))
            self.stretch(loop.first, loop.last, number)
        if around < 0 and times >= _PACED:
            self.loops.append(TracedLoop((*begins, len(self.order)), times))

    def length(self, number: int) -> float:
        """Instructions of one iteration, with those of the loops within it."""
        loop = self.code.loops[number]
        parts = self.runs.part[loop.first : loop.last + 1]
        return sum(self.runs.mean(part, number) for part in parts if part is not None)
