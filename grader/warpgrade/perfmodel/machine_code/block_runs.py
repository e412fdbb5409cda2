"""How often parts of the machine code ran, from the executions of PTX's basic blocks.

Each instruction of the machine code comes from a line of PTX, and so from a basic block of which the emulator
counted the executions. ptxas moves instructions, copies them where it unrolls, and leaves some out, so one
line says little: a loop runs as often as its branch, by the copies of most of its lines; a basic block that a
branch can skip as often as most of its lines that no loop has executed.
"""

from __future__ import annotations

import bisect
import itertools
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...build.sass import Code, Instruction

SKIPPED = 1 << 20  # parts of skippable code of part p: multiples of this, and p
_LEAVING = ("branch", "exit", "return")  # the last instruction of a basic block
_SINGLE = (
    "fp32", "ffma", "special", "shuffle", "atomic", "shared atomic",
    "global load", "global store", "shared load", "shared store",
)  # fmt: skip
_NEAR = 0.98  # of a loop's executions: a line within it
_MOST = 0.75  # of the lines of a basic block: as ptxas may have moved the others there
_ALIKE = 3  # digits of executions a warp by which basic blocks are told apart


def loop_of(part: int) -> int:
    """The loop whose code a part is: -1 for code outside all loops."""
    return (part + 1) % SKIPPED - 1


def basic_blocks(code: Code) -> Iterator[range]:
    starts = {0, len(code.instructions)}
    for number, each in enumerate(code.instructions):
        if each.kind in _LEAVING:
            starts |= {number + 1, each.target} if each.target >= 0 else {number + 1}
    return itertools.starmap(range, itertools.pairwise(sorted(starts)))


class Executions:
    """Executions by warps of the basic block that a line of PTX belongs to."""

    def __init__(self, blocks: Iterable[tuple[int, int]]) -> None:
        found: dict[int, int] = {}
        for line, executions in blocks:
            if line:
                found[line] = max(executions, found.get(line, 0))
        self._lines = sorted(found)
        self._executions = [float(found[line]) for line in self._lines]

    def of(self, line: int) -> float | None:
        """None where it is not known."""
        at = bisect.bisect_right(self._lines, line) - 1
        return self._executions[at] if line and at >= 0 else None


@dataclass
class BlockRuns:
    code: Code
    part: list[int | None]  # of each instruction; None: it cannot execute
    around: Sequence[int]  # of each loop, the innermost one around it
    executions: Executions
    runs: dict[int, float]  # by part, of all warps together: what is known otherwise
    # By line of PTX: of loops that ptxas makes of one atomic, the iterations of a warp.
    turns: Mapping[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lines: defaultdict[int, defaultdict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        # Of skippable code, by line and kind: copies in each basic block with such an instruction.
        self._skipped: defaultdict[tuple[int, str], Counter[int]] = defaultdict(Counter)
        for block in basic_blocks(self.code):
            for at in block:
                part, each = self.part[at], self.code.instructions[at]
                if part is not None and each.line:
                    lines[part][each.line][each.kind] += 1
                    if part >= SKIPPED - 1:
                        self._skipped[each.line, each.kind][block.start] += 1
        # Lines with an instruction of which ptxas makes one.
        self._single = {each.line for each in self.code.instructions if each.kind in _SINGLE}
        self._counts = lines
        # By part and line: its copies. A line of which ptxas makes several instructions has one of some kind.
        self._copies = {
            part: {line: min(kinds.values()) for line, kinds in own.items()} for part, own in lines.items()
        }

    def settle(self) -> None:
        """Correct `runs`, and give basic blocks that branches can skip a part for each number of runs."""
        self._loops()
        looped = {loop: self.runs[loop] for loop in range(-1, len(self.code.loops)) if loop in self.runs}
        found = {block: self._of_block(block, looped) for block in basic_blocks(self.code)}
        named: dict[tuple[int, float], int] = {}
        for block, runs in found.items():
            if runs is None:
                continue
            old = self._part_of(block)
            key = loop_of(old), round(runs / self.runs[-1], _ALIKE)
            number = named.setdefault(key, SKIPPED * (len(named) + 2) + loop_of(old)) if runs else None
            for at in block:
                if self.part[at] == old:
                    self.part[at] = number
            if number is not None:
                self.runs[number] = runs

    def _loops(self) -> None:
        """Loops, the outer ones first. Those of one branch of PTX are an unrolled loop and its remainders."""
        alike: defaultdict[int, list[int]] = defaultdict(list)
        for at, loop in enumerate(self.code.loops):
            if at in self._copies:
                alike[self.code.instructions[loop.last].line].append(at)
        for line, loops in sorted(alike.items(), key=lambda each: min(map(self._depth, each[1]))):
            left = self.executions.of(line)
            if left is None:
                continue
            times = {number: self._unrolled(number, line, left) for number in loops}
            left *= self.turns.get(line, 1.0)
            for number in sorted(loops, key=times.__getitem__, reverse=True):
                runs = left / times[number]
                entries = self.runs.get(self.around[number], 0.0)
                if times[number] > 1 and entries and (len(loops) > 1 or self._has_remainder(number)):
                    runs = entries * math.floor(left / entries / times[number] + 1e-6)
                self.runs[number] = runs
                left = max(0.0, left - runs * times[number])

    def _has_remainder(self, loop: int) -> bool:
        """Whether most of its lines are in skippable code, too."""
        lines, skipped = self._copies[loop], {line for line, _ in self._skipped}
        return 2 * len(skipped & lines.keys()) > len(lines)

    def _depth(self, loop: int) -> int:
        return 0 if loop < 0 else 1 + self._depth(self.around[loop])

    def _unrolled(self, loop: int, branch: int, branched: float) -> int:
        """Iterations of PTX that one of the machine code's loop makes."""
        copies = {
            line: count * branched / executed
            for line, count in self._copies[loop].items()
            if line != branch
            and (executed := self.executions.of(line))
            and executed >= _NEAR * branched
            and self._counts[loop][line].total() <= 2 * count
        }
        if once := [copies[line] for line in copies if line in self._single]:
            return max(1, round(statistics.median_high(once)))
        return max(1, round(sorted(copies.values())[len(copies) // 4])) if copies else 1

    def _part_of(self, block: range) -> int:
        return max((part for at in block if (part := self.part[at]) is not None), default=-1)

    def _of_block(self, block: range, looped: Mapping[int, float]) -> float | None:
        """Executions of a basic block that a branch can skip; None for others, and where no line tells."""
        part = self._part_of(block)
        if part < SKIPPED - 1:
            return None
        loop = loop_of(part)
        most = self.runs.get(loop, math.inf)
        begin = self._begin(loop) if loop >= 0 else 0
        found: list[float] = []
        single: list[float] = []
        for at in block:
            each = self.code.instructions[at]
            executed = self.executions.of(each.line)
            if self.part[at] != part or executed is None or _issued_anyway(each) or each.line < begin:
                continue
            others = {home: own[each.line] for home, own in self._copies.items() if each.line in own}
            if loop >= 0 and loop in others:  # not a remainder of it, but a way through it
                others[loop] = self._counts[loop][each.line][each.kind]
            if any(count for home, count in others.items() if home in looped and home >= 0):
                executed -= sum(looped[home] * count for home, count in others.items() if home in looped)
            found.append(min(most, self._share(each, block, max(0.0, executed), most)))
            if each.kind in _SINGLE:
                single.append(found[-1])
        if len(single) > 1:
            found = single
        return sorted(found)[min(len(found) - 1, int(_MOST * len(found)))] if found else None

    def _begin(self, loop: int) -> int:
        """First line of PTX of a loop. ptxas moves earlier ones into it."""
        branched = self.executions.of(self.code.instructions[self.code.loops[loop].last].line) or 0.0
        lines = self._copies.get(loop, {})
        return min(
            (line for line in lines if (self.executions.of(line) or 0.0) >= _NEAR * branched), default=0
        )

    def _share(self, each: Instruction, block: range, left: float, most: float) -> float:
        """Executions of one of the basic blocks with such an instruction.

        Of the remainders of an unrolled loop, those with most iterations come first."""
        copies = self._skipped[each.line, each.kind]
        own, fewest = copies[block.start], min(copies.values())
        if own == fewest == max(copies.values()) or not most < math.inf:
            return left / len(copies)
        times = left / most if most else 0.0
        if more := [count for count in copies.values() if count > own]:
            times %= min(more)
        alike = sum(count == own for count in copies.values())
        return most * (math.floor(times / own + 1e-6) if own > fewest else times / own) / alike


def _issued_anyway(each: Instruction) -> bool:
    """Whether its warp issues it though its predicate holds for no lane."""
    return each.guarded and each.kind != "branch"
