"""What the emulator found, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """One side of a finding: a line of the kernel and who was there."""

    file: str = ""
    line: int = 0
    column: int = 0
    source: str = ""
    inlined_at: str = ""
    block: tuple[int, ...] = ()
    thread: tuple[int, ...] = ()
    access: str = ""


@dataclass(frozen=True)
class Memory:
    space: str = ""
    address: str = ""
    bytes: int = 0
    allocation: str = ""
    allocation_bytes: int = 0
    distance: int = 0
    relation: str = ""


@dataclass(frozen=True)
class Standing:
    """Where a warp, or a part of one, stood when nothing could go on."""

    warp: int = 0
    lanes: str = ""
    file: str = ""
    line: int = 0
    source: str = ""
    state: str = ""


@dataclass(frozen=True)
class Finding:
    label: str  # the case's name, or "time/256x256x256/student"
    check: str  # memory, race, init, barrier, limit, trap
    kind: str
    code: str
    severity: str  # "error", "warning"
    message: str
    place: Place
    launch: int = 0
    kernel: str = ""
    other: Place | None = None
    memory: Memory | None = None
    standing: tuple[Standing, ...] = ()
    times: int = 1
    lanes: int = 1
    help: str = ""

    @property
    def called(self) -> str:
        """Its kind, as a sentence has it: "read-write race", "out of bounds"."""
        race, dash, sides = self.kind.partition("-")
        return f"{sides} race" if race == "race" and dash else self.kind.replace("-", " ")
