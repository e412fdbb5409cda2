"""The result of compiling a submission."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from .problem import Problem


class BuildStatus(enum.StrEnum):
    BUILT = "BUILT"
    BUILD_FAILED = "BUILD_FAILED"
    GRADER_ERROR = "GRADER_ERROR"


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler on the student's own line."""

    severity: str  # "error", "warning", "note"
    text: str  # the compiler's words
    file: str = ""  # name of the submitted file; empty for the whole build
    line: int | None = None  # from 1
    source: str = ""  # that line as written
    quoted: tuple[str, ...] = ()  # words of the program, or such as are missing in it, that the text names


@dataclass(frozen=True)
class Resources:
    """What ptxas gives one thread or block of the kernel on the reporting architecture."""

    architecture: str  # "sm_90"
    registers: int  # a thread
    shared_bytes: int  # a block, static
    stack_bytes: int  # a thread
    spill_stores: int  # bytes
    spill_loads: int  # bytes
    barriers: int  # named barriers of a block
    constant_bytes: int  # of kernel parameters and constants


@dataclass(frozen=True)
class Build:
    status: BuildStatus  # BUILT, BUILD_FAILED or GRADER_ERROR
    summary: str  # one sentence
    diagnostics: tuple[Diagnostic, ...] = ()  # in the order of the source
    resources: Resources | None = None  # None if not built
    parameters: tuple[str, ...] = ()  # PTX types of the kernel's parameters: "u64", …
    fatbin: str = ""  # file name beside the saved stage, empty where not built
    fatbin_hash: str = ""  # sha256 of the fat binary
    headers: str = ""  # read before the file: "all", or "cut" to what it uses; the PTX is the same
    problem: Problem | None = None  # only for GRADER_ERROR
    assembly: bool = False  # the submission may write PTX of its own: its text can hold inline assembly
    others: dict[str, tuple[str, ...]] = field(default_factory=dict, hash=False)  # parameters, other kernels
    instructions: dict[str, int] = field(default_factory=dict, hash=False)  # of the PTX, by ptx("pattern")
    other_resources: dict[str, Resources] = field(default_factory=dict, hash=False)  # of further kernels
