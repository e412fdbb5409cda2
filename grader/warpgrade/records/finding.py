"""What the emulator found, and where."""

from __future__ import annotations

from dataclasses import dataclass, field

_IF_SET = {"saved": "if set"}


@dataclass(frozen=True)
class Place:
    """One side of a finding: a line of the kernel and the thread that executed it."""

    file: str = ""  # as the compiler wrote it
    line: int = 0  # from 1; 0: not known
    column: int = 0  # from 1; 0: not known
    source: str = ""  # that line as written
    inlined_at: str = ""  # "kernel.cu:40": the call that the line was inlined into
    block: tuple[int, ...] = ()  # blockIdx: x, y, z
    thread: tuple[int, ...] = ()  # threadIdx: x, y, z
    access: str = ""  # "read", "write", "atomic", "barrier", "exchange", "copy"; of the host: what it does


@dataclass(frozen=True)
class Memory:
    space: str = ""  # "global", "shared", "local", "constant"
    address: str = ""  # hexadecimal
    bytes: int = 0  # of one lane's access
    allocation: str = ""  # name of the array or variable
    allocation_bytes: int = 0  # its size
    distance: int = 0  # bytes before its begin (negative), after its end, or from its begin (inside)
    relation: str = ""  # "inside", "before", "after"; empty where nothing is near
    words: str | None = field(default=None, metadata=_IF_SET)  # the part of the message that says this place
    # The array that the address was computed from, where that is not `allocation`.
    pointer: str | None = field(default=None, metadata=_IF_SET)  # its name
    pointer_bytes: int | None = field(default=None, metadata=_IF_SET)  # its size
    from_pointer: int | None = field(default=None, metadata=_IF_SET)  # bytes from its start
    larger_bytes: int | None = field(default=None, metadata=_IF_SET)  # of a larger array of the launch
    made_at: str | None = field(default=None, metadata=_IF_SET)  # "bfs.cu:40", where `allocation` is a number

    @property
    def array(self) -> str:
        """The name in the source: "tile" for the allocation "shared array tile"; "" if there is none."""
        return self.allocation.split()[-1] if self.allocation else ""


@dataclass(frozen=True)
class Standing:
    """Where a warp, or a part of one, stood when nothing could continue."""

    warp: int = 0  # number of the warp in its block
    lanes: str = ""  # hexadecimal mask
    file: str = ""  # as the compiler wrote it
    line: int = 0  # from 1; 0: not known
    source: str = ""  # that line as written
    state: str = ""  # "waits at barrier 0", "runs"


@dataclass(frozen=True)
class Finding:
    label: str  # the case's name, or "time/256x256x256/student"
    check: str  # memory, race, init, barrier, limit, trap
    kind: str  # name of the kind: "race-read-write"
    code: str  # "WG112"; empty for findings of the grader itself
    severity: str  # "error", "warning"
    message: str  # one sentence
    place: Place  # of the access that shows the fault
    launch: int = 0  # number of the launch, from 1
    kernel: str = ""  # name of the kernel
    other: Place | None = None  # the other side of a race
    memory: Memory | None = None  # what was accessed
    standing: tuple[Standing, ...] = ()  # of each warp in a deadlock
    times: int = 1  # that it was seen, over all blocks
    lanes: int = 1  # of the first warp that showed it
    help: str = ""  # one thing to do
    cause: str | None = field(default=None, metadata=_IF_SET)  # the mistake, if its kind does not say it
    update: bool | None = field(default=None, metadata=_IF_SET)  # True: both sides are of one x[i] += …
    writer: Place | None = field(default=None, metadata=_IF_SET)  # the store that should have written it
    left: Place | None = field(default=None, metadata=_IF_SET)  # the branch by which its thread passes that
    # Ranges of a shared array: bytes from its start, and how many.
    written: tuple[tuple[int, int], ...] | None = field(default=None, metadata=_IF_SET)  # what was stored
    function: str | None = field(default=None, metadata=_IF_SET)  # "scan<int>", where the compiler mangled it
    named: tuple[str, ...] | None = field(default=None, metadata=_IF_SET)  # "program.cu:55", in the message

    @property
    def kernel_called(self) -> str:
        """The kernel's name as its author wrote it."""
        return self.function or self.kernel

    @property
    def is_remark(self) -> bool:
        """Whether it makes no result wrong: it is shown, and costs what lab.toml says."""
        return self.kind in ("uninitialised-variable", "unwritten-copy", "division-by-zero")

    @property
    def called(self) -> str:
        """The kind in words, for sentences: "read-write race", "out of bounds"."""
        race, dash, sides = self.kind.partition("-")
        return f"{sides} race" if race == "race" and dash else self.kind.replace("-", " ")


@dataclass(frozen=True)
class JudgedFindings:
    """A run's findings as a student reads them, saved beside the run, which holds them as reported."""

    findings: tuple[Finding, ...]  # with advice, and with those about the times
