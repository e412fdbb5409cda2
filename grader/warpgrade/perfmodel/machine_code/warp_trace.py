"""The instructions of the machine code that a warp executes, in order: what the simulation of issue runs.

How often each part ran is known as a mean over all warps (part_runs.py). The trace of one warp has that mean,
too: a part that runs in a third of the iterations is in every third one of the trace. Outermost loops are cut
to a share of their iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...build.sass import Code
from ...records import Launch
from .part_runs import PartRuns, part_runs

_LEAST = 12  # iterations that a loop is cut to at least: before, its pace has not settled
_ROUNDING = 0.001


def trace(code: Code, launch: Launch, share: float, part: float = 1.0) -> tuple[int, ...]:
    """Numbers of the instructions that one warp executes, in order. `share`: of the iterations of outermost
    loops that are kept, at least _LEAST; `part`: a share of these.
    """
    tracer = _Tracer(code, part_runs(code, launch), share, part)
    tracer.stretch(0, len(code.instructions) - 1, -1)
    return tuple(tracer.order)


@dataclass
class _Tracer:
    code: Code
    runs: PartRuns
    share: float
    part: float
    order: list[int] = field(default_factory=list)
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
        """How often a part runs this time. Over many times, the average is the part's mean."""
        due = self.due.get(part, 0.5) + mean
        times = int(due + _ROUNDING)
        self.due[part] = due - times
        return times

    def loop(self, number: int, around: int) -> None:
        loop = self.code.loops[number]
        times = self.times(number, self.runs.mean(number, around))
        if around < 0 and times:
            times = max(1, round(self.part * min(times, max(_LEAST, round(self.share * times)))))
        for _ in range(times):
            self.stretch(loop.first, loop.last, number)
