"""What the harness and the emulator told of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from .build import Resources
from .card import Conditions
from .finding import Finding
from .lab import Size
from .launch import Launch
from .problem import Problem


@dataclass(frozen=True)
class LaunchShape:
    threads: tuple[int, int]  # x, y
    outputs: tuple[int, int]  # columns, rows of C that one block computes

    @property
    def threads_per_block(self) -> int:
        return self.threads[0] * self.threads[1]


@dataclass(frozen=True)
class Wrong:
    """The first wrong element of C and the pattern of all of them."""

    count: int
    total: int
    row: int
    column: int
    expected: float | str
    got: float | str  # a number, or "NaN", "inf", "-inf", "never written"
    block: tuple[int, ...] | None = None
    thread: tuple[int, ...] | None = None
    tile: tuple[int, ...] | None = None
    phase: int | None = None
    pattern: str = ""
    explanation: str = ""
    map: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaseRun:
    """What the harness wrote about a case, or what its process did instead."""

    name: str
    status: str  # the harness's, or "crash", "timeout", "grader_error", "not_run"
    message: str = ""
    cuda_error: str = ""
    wrong: Wrong | None = None
    sticky: bool = False


@dataclass(frozen=True)
class Timing:
    """Measured on a device. On the emulator these say nothing: see PerformanceVerdict."""

    size: Size
    student_ms: tuple[float, ...]
    reference_ms: tuple[float, ...]
    ratio: float | None
    emulated: bool
    checked: str = ""  # "pass" or "wrong_answer", of one timed result chosen at random
    error: str = ""  # why there is no ratio


@dataclass(frozen=True)
class Run:
    """Cases, findings and counters are the emulator's; on a GPU `device_cases` stand beside them."""

    device: str  # "emulator" or "gpu": what the timings are from
    device_name: str = ""
    launch_shape: LaunchShape | None = None
    cases: tuple[CaseRun, ...] = ()
    device_cases: tuple[CaseRun, ...] = ()
    findings: tuple[Finding, ...] = ()
    launches: tuple[Launch, ...] = ()
    timings: tuple[Timing, ...] = ()
    reference: Resources | None = None  # what the reference solution takes
    printed: str = ""  # the start of what the kernel printed
    notes: tuple[str, ...] = ()
    problem: Problem | None = None  # a fault of ours; the score is withheld
    conditions: Conditions | None = None  # of the GPU when times were taken
