"""What the harness and the emulator reported about a kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .build import Resources
from .finding import Finding
from .gpu_state import Conditions
from .influence import Influences
from .lab import Size
from .launch import Launch
from .problem import Problem

_IF_SET = {"saved": "if set"}


@dataclass(frozen=True)
class LaunchShape:
    """How a kernel is launched. `threads` and `outputs` have one to three numbers."""

    threads: tuple[int, ...]  # of a block: x, y, z
    outputs: tuple[int, ...]  # elements that one block computes: x, y, z
    kernel: str = ""  # its name in lab.toml
    blocks: int | None = None  # of the grid, where the kernel's file states it (LAUNCH_BLOCKS)
    shared: int = 0  # bytes of dynamic shared memory of a block

    @property
    def threads_per_block(self) -> int:
        return math.prod(self.threads)

    @property
    def outputs_per_block(self) -> int:
        return math.prod(self.outputs)


@dataclass(frozen=True)
class Wrong:
    """The first wrong element of an array and the pattern of all of them."""

    count: int  # wrong elements
    total: int  # elements of the array
    array: str  # its name in the lab
    shape: tuple[int, ...]  # of the array: its extents, the slowest dimension first
    index: tuple[int, ...]  # of the first wrong element, from 0; as long as `shape`
    expected: int | float | str  # by the oracle
    got: int | float | str  # a number, or "NaN", "inf", "-inf", "never written"
    block: tuple[int, ...] | None = None  # x, y, z of the block that owns that element
    thread: tuple[int, ...] | None = None  # x, y, z of the thread that owns it, where each owns one
    first: tuple[int, ...] | None = None  # index of the first element that this block computes
    last: tuple[int, ...] | None = None  # index of the last one
    phase: int | None = None  # of the kernel's loop, from which on contributions are missing
    pattern: str = ""  # of all wrong elements: "all", "last-tile-column", … (harness/patterns/pattern.hpp)
    explanation: str = ""  # what such a pattern usually means
    map: tuple[str, ...] = ()  # at most 32×32 cells: '.' right, '#' wrong, '?' never written
    vector: int | None = field(default=None, metadata=_IF_SET)  # parts of a vector, the last dimension
    axes: tuple[int, ...] | None = field(default=None, metadata=_IF_SET)  # of the map, if not the last two
    kernel: str | None = field(default=None, metadata=_IF_SET)  # of several, the one whose blocks cover it
    influences: Influences | None = field(default=None, metadata=_IF_SET)  # where nothing else explains it

    @property
    def cells_shape(self) -> tuple[int, ...]:
        """The extents of what map and blocks count: whole vectors where elements are vectors."""
        return self.shape[:-1] if self.vector else self.shape

    @property
    def cells_index(self) -> tuple[int, ...]:
        """The first wrong element's index among them."""
        return self.index[: len(self.cells_shape)]


@dataclass(frozen=True)
class CaseRun:
    """What the harness wrote about a case, or what its process did instead."""

    name: str  # of the case in lab.toml
    status: str  # the harness's, or "crash", "timeout", "grader_error", "not_run"
    message: str = ""  # the harness's words
    cuda_error: str = ""  # name of the error that a CUDA call returned
    wrong: Wrong | None = None  # where the result is wrong
    sticky: bool = False  # True: no later CUDA call of that process could succeed
    credit: float | None = field(default=None, metadata=_IF_SET)  # earned share of the points
    said: str | None = field(default=None, metadata=_IF_SET)  # the last line of a program's errors

    @property
    def sentence(self) -> str:
        """The message, with what the program itself said."""
        return f"{self.message} and said: {self.said}" if self.said else self.message

    @property
    def is_deadlock(self) -> bool:
        """Whether the emulator ended the launch, since it would never end."""
        return self.cuda_error == "cudaErrorLaunchTimeout"


@dataclass(frozen=True)
class Timing:
    """Measured on a device. On the emulator these say nothing: see PerformanceVerdict."""

    size: Size  # by the lab's parameters
    student_ms: tuple[float, ...]  # of each repetition
    reference_ms: tuple[float, ...]  # of each repetition
    ratio: float | None  # median of reference_ms / student_ms
    emulated: bool  # True: the harness ran on the emulator
    checked: str = ""  # "pass" or "wrong_answer", of one timed result chosen at random
    error: str = ""  # why there is no ratio


@dataclass(frozen=True)
class Run:
    """Cases, findings and counters are the emulator's; on a GPU `device_cases` stand beside them."""

    device: str  # "emulator" or "gpu": what the timings are from
    device_name: str = ""  # as the driver calls it, or the modelled GPU
    launch_shape: LaunchShape | None = None  # of the lab's first kernel; None if it is not known
    cases: tuple[CaseRun, ...] = ()  # one for each case of lab.toml, on the emulator
    device_cases: tuple[CaseRun, ...] = ()  # the same on the GPU; empty without one
    findings: tuple[Finding, ...] = ()  # in the order in which they were found
    launches: tuple[Launch, ...] = ()  # with their counters
    timings: tuple[Timing, ...] = ()  # one for each size
    reference: Resources | None = None  # what the reference solution takes
    printed: str = ""  # the beginning of what the kernel printed
    notes: tuple[str, ...] = ()  # about the run as a whole
    problem: Problem | None = None  # an error of the grader; the score is withheld
    conditions: Conditions | None = None  # of the GPU when times were taken
    other_shapes: tuple[LaunchShape, ...] | None = field(default=None, metadata=_IF_SET)  # further kernels

    @property
    def shapes(self) -> tuple[LaunchShape, ...]:
        """The launch shapes of all kernels, in the lab's order."""
        first = () if self.launch_shape is None else (self.launch_shape,)
        return (*first, *(self.other_shapes or ()))

    def shape_of(self, kernel: str) -> LaunchShape | None:
        """The launch shape of the kernel with that name; the first kernel's for an empty name."""
        if not kernel:
            return self.launch_shape
        return next((shape for shape in self.shapes if shape.kernel == kernel), None)
