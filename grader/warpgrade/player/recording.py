"""Read a recording of one block, as grader/emulator/recording writes it: docs/player.md describes it."""

from __future__ import annotations

import functools
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import UsageError

READ, WRITE, ATOMIC = range(3)
SPACES = ("global", "shared", "local", "other")
FORMAT = 1
_REGISTERS, _ACCESSES, _GROUPS, _OTHERS, _FAULT = 1, 2, 4, 8, 16
_STEPS, _EACH, _OWN_MASK = 1, 2, 4
_WIDEST = 8  # bytes that a value block holds of a lane
_WIDTHS = {"pred": 1, "b8": 2, "b16": 2}  # bytes of a lane in a register, by its type
_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}  # of struct, by width


@dataclass(frozen=True)
class BlockAccess:
    """One access of a warp. By lane: address, and the bytes before and after it."""

    kind: int  # READ, WRITE, ATOMIC
    space: str
    size: int  # bytes of each lane
    addresses: Mapping[int, int]
    before: Mapping[int, bytes]
    after: Mapping[int, bytes]


@dataclass(frozen=True)
class Group:
    """Lanes of a warp that do not run. `state`: 0 can run, 1 at a barrier, 2 waits for lanes of its warp."""

    state: int
    barrier: int
    mask: int
    at: int  # number of an instruction


@dataclass(frozen=True)
class BlockStep:
    """One warp instruction. `registers`: values that changed, by register number and lane."""

    warp: int
    instruction: int
    mask: int  # lanes that execute it
    registers: Mapping[int, Mapping[int, int]]
    accesses: tuple[BlockAccess, ...]
    alive: int | None  # lanes that have not exited, if that or `groups` changed
    groups: tuple[Group, ...] | None
    opens: bool  # a barrier has opened
    fault: bool  # it did not end: the kernel failed here
    others: tuple[tuple[int, int, tuple[Group, ...]], ...] = ()  # other warps: number, alive, groups

    def has(self, lane: int) -> bool:
        return bool(self.mask >> lane & 1)


@dataclass
class BlockRecording:
    """`head` as docs/player.md describes it; `registers`: what each warp held before the first step."""

    head: dict[str, Any]
    stream: bytes
    registers: list[dict[int, dict[int, int]]] = field(default_factory=list)
    groups: list[tuple[int, tuple[Group, ...]]] = field(default_factory=list)  # the same: alive, groups
    shared: dict[int, int] = field(default_factory=dict)  # bytes by offset, written before the first step
    steps: list[BlockStep] = field(default_factory=list)
    _lines: dict[int, int] = field(default_factory=dict)  # by instruction

    def line(self, step: BlockStep) -> int:
        """The line in the file that is shown: of a function inlined from another file, that of the call."""
        if step.instruction not in self._lines:
            self._lines[step.instruction] = self.line_of(step.instruction)
        return self._lines[step.instruction]

    def line_of(self, instruction: int) -> int:
        line, file, inlined, _ = self.instruction(instruction)
        if file == self.head.get("source_file", 0):
            return int(line)
        called = str(inlined).rpartition(":")[2]
        return int(called) if called.isdigit() else 0

    def instruction(self, number: int) -> tuple[int, int, str, str]:
        """Line, number of the file, call that it was inlined into, text."""
        for function, rows in zip(self.head["functions"], self.head["instructions"], strict=True):
            if function["first"] <= number < function["first"] + len(rows):
                line, file, inlined, text = rows[number - function["first"]]
                return line, file, inlined, text
        return 0, -1, "", ""


def read(content: bytes) -> BlockRecording:
    """A recording from the bytes of its file. UsageError where they are none."""
    first, newline, stream = content.partition(b"\n")
    try:
        head = json.loads(first) if newline else None
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        remedy = "make one: WARPGRADE_RECORD=FILE ./program"
        raise UsageError("is no recording of this version of Warpgrade", remedy=remedy)
    made = BlockRecording(head, stream[: head["bytes"]])
    _Reader(made).run()
    return made


class _Reader:
    def __init__(self, made: BlockRecording) -> None:
        self.made, self.bytes, self.at = made, made.stream, 0
        self.widths = [_width(row[2]) for row in made.head["registers"]]
        x, y, z = made.head["block"]
        self.warps = -(-x * y * z // 32)

    def run(self) -> None:
        for _ in range(self.warps):
            self.made.groups.append(self.groups())
            self.made.registers.append(self.registers(0))
        while length := self.number():
            start = self.number()
            self.made.shared.update(enumerate(self.bytes[self.at : self.at + length], start))
            self.at += length
        self.made.steps = [self.step() for _ in range(self.made.head["steps"])]

    def step(self) -> BlockStep:
        parts = self.byte()
        warp, instruction, mask = self.number(), self.number(), self.word()
        registers = self.registers(mask) if parts & _REGISTERS else {}
        accesses = tuple(self.access(mask) for _ in range(self.number())) if parts & _ACCESSES else ()
        alive, groups = self.groups() if parts & _GROUPS else (None, None)
        others = tuple(
            (self.number(), *self.groups()) for _ in range(self.number() if parts & _OTHERS else 0)
        )
        return BlockStep(
            warp,
            instruction,
            mask,
            registers,
            accesses,
            alive,
            groups,
            bool(parts & _OTHERS),
            bool(parts & _FAULT),
            others,
        )

    def registers(self, mask: int) -> dict[int, dict[int, int]]:
        out = {}
        for _ in range(self.number()):
            number = self.number()
            out[number] = self.lanes(mask, self.widths[number])
        return out

    def access(self, mask: int) -> BlockAccess:
        head, size = self.byte(), self.byte()
        addresses = self.lanes(mask, 8)
        before = self.memory(addresses, size)
        after = before if head & 3 == READ else self.memory(addresses, size)
        return BlockAccess(head & 3, SPACES[head >> 2], size, addresses, before, after)

    def memory(self, addresses: Mapping[int, int], size: int) -> dict[int, bytes]:
        mask = sum(1 << lane for lane in addresses)
        if size <= _WIDEST:
            return {lane: value.to_bytes(size, "little") for lane, value in self.lanes(mask, size).items()}
        out = dict.fromkeys(addresses, b"")
        for at in range(0, size, _WIDEST):
            width = min(_WIDEST, size - at)
            for lane, value in self.lanes(mask, width).items():
                out[lane] += value.to_bytes(width, "little")
        return out

    def groups(self) -> tuple[int, tuple[Group, ...]]:
        alive = self.word()
        found = []
        for _ in range(self.number()):
            state = self.number()
            found.append(Group(state & 3, state >> 2, self.word(), self.number()))
        return alive, tuple(found)

    def lanes(self, mask: int, width: int) -> dict[int, int]:
        """Values by lane: one for all, in even steps, or each."""
        pattern = self.byte()
        if pattern & _OWN_MASK:
            mask = self.word()
        active = _lanes_of(mask)
        if pattern & _EACH:
            values = struct.unpack_from(f"<{len(active)}{_CODES[width]}", self.bytes, self.at)
            self.at += width * len(active)
            return dict(zip(active, values, strict=True))
        first = self.value(width)
        if not pattern & _STEPS:
            return dict.fromkeys(active, first)
        step, most = self.value(width), (1 << 8 * width) - 1
        return {lane: first + i * step & most for i, lane in enumerate(active)}

    def byte(self) -> int:
        self.at += 1
        return self.bytes[self.at - 1]

    def word(self) -> int:
        return self.value(4)

    def value(self, width: int) -> int:
        self.at += width
        return int.from_bytes(self.bytes[self.at - width : self.at], "little")

    def number(self) -> int:
        value = self.byte()
        if value < 128:  # as most are
            return value
        value, shift = value & 127, 7
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7


@functools.cache
def _lanes_of(mask: int) -> tuple[int, ...]:
    return tuple(lane for lane in range(32) if mask >> lane & 1)


def _width(type: str) -> int:
    if type in _WIDTHS:
        return _WIDTHS[type]
    return {8: 2, 16: 2, 32: 4, 64: 8}.get(int("".join(filter(str.isdigit, type)) or 32), 4)


def accessed(step: BlockStep) -> Iterator[tuple[BlockAccess, int]]:
    """Each access of the step with each of its lanes."""
    for access in step.accesses:
        for lane in access.addresses:
            yield access, lane
