"""The machine code that ptxas made of a kernel (SASS). `emu` reads it from a cubin, in the sandbox (emu.py).

PTX is not what a GPU executes: ptxas merges loads, drops moves and orders instructions so that their
registers conflict more or less. grader/emulator/fatbin/machine_code.hpp says what is read from each
instruction.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

FETCHES = ("global load", "asynchronous copy")  # kinds of instructions that bring global memory to an SM


@dataclass(frozen=True)
class Instruction:
    kind: str
    bytes: int  # that one lane loads or stores; 0 for other kinds
    collides: int  # extra cycles, because its operands lie in the same register bank
    stall: int  # cycles until the warp's next instruction
    sets: int  # scoreboard that its result releases, -1: none
    waits: int  # bits of the scoreboards that it waits for
    target: int = -1  # of a branch: number of an instruction
    line: int = 0  # of the PTX text; 0 without a line table
    floating: bool = False  # an atomic on floating point
    guarded: bool = False  # by a predicate: a warp issues it even if the predicate holds for no lane
    fetches: tuple[int, int] = (0, 0)  # registers of the even and of the odd bank that arithmetic fetches
    kept: tuple[int, int] = (0, 0)  # those that it fetches only if another warp has issued before it


@dataclass(frozen=True)
class Loop:
    """A loop, from its first instruction to the backward branch; it contains the loops `inner`."""

    first: int
    last: int


@dataclass(frozen=True)
class Code:
    kernel: str
    instructions: tuple[Instruction, ...]
    registers: int  # a thread
    shared_bytes: int  # a block, static
    loops: tuple[Loop, ...] = field(default=())

    def homes(self) -> list[int]:
        """Indexed by instruction: the number of the innermost loop around it; -1 outside all loops."""
        begun = sorted(range(len(self.loops)), key=lambda n: self.loops[n].first, reverse=True)
        around: list[tuple[int, int]] = []  # a heap of loops, the shortest first: length, number negated
        found = []
        for at in range(len(self.instructions)):
            while begun and self.loops[begun[-1]].first <= at:
                number = begun.pop()
                heapq.heappush(around, (self.loops[number].last - self.loops[number].first, -number))
            while around and self.loops[-around[0][1]].last < at:
                heapq.heappop(around)
            found.append(-around[0][1] if around else -1)
        return found


def loops_of(code: tuple[Instruction, ...]) -> tuple[Loop, ...]:
    """One loop for each target of a backward branch. ptxas ends each section with a branch to itself."""
    ends: dict[int, int] = {}
    for number, instruction in enumerate(code):
        if instruction.kind == "branch" and 0 <= instruction.target < number:
            ends[instruction.target] = max(number, ends.get(instruction.target, 0))
    return tuple(Loop(first, last) for first, last in sorted(ends.items()))
