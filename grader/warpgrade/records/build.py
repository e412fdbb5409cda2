"""What became of compiling a submission."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from .problem import Problem


class BuildStatus(enum.StrEnum):
    BUILT = "BUILT"
    BUILD_FAILED = "BUILD_FAILED"
    GRADER_ERROR = "GRADER_ERROR"


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler on the student's own line."""

    severity: str  # "error", "warning", "note"
    text: str
    file: str = ""
    line: int | None = None
    source: str = ""  # that line as written


@dataclass(frozen=True)
class Resources:
    """What ptxas gives one thread or block of the kernel on the reporting architecture."""

    architecture: str  # "sm_90"
    registers: int  # a thread
    shared_bytes: int  # a block, static
    stack_bytes: int  # a thread
    spill_stores: int  # bytes
    spill_loads: int  # bytes
    barriers: int
    constant_bytes: int


@dataclass(frozen=True)
class Build:
    status: BuildStatus
    summary: str  # one sentence
    diagnostics: tuple[Diagnostic, ...] = ()
    resources: Resources | None = None
    parameters: tuple[str, ...] = ()  # PTX types of the kernel's parameters: "u64", …
    fatbin: str = ""  # file name beside the saved stage, empty where not built
    fatbin_hash: str = ""
    headers: str = ""  # read before the file: "all", or "cut" to what it uses; the PTX is the same
    problem: Problem | None = None  # only for GRADER_ERROR
