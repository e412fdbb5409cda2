"""The verdict on each case, technique and time."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from .build import BuildStatus
from .lab import Size

_IF_SET = {"saved": "if set"}


class Verdict(enum.StrEnum):
    """The verdict on one case."""

    PASS = "PASS"
    WRONG_ANSWER = "WRONG_ANSWER"
    RACE = "RACE"
    MEMORY = "MEMORY"
    BARRIER = "BARRIER"
    CRASH = "CRASH"
    TIMEOUT = "TIMEOUT"
    RESOURCES = "RESOURCES"
    SKIPPED = "SKIPPED"
    GRADER_ERROR = "GRADER_ERROR"


@dataclass(frozen=True)
class CaseVerdict:
    name: str  # of the case in lab.toml
    verdict: Verdict  # see Verdict
    sentence: str  # the cause, for the student
    codes: tuple[str, ...] = ()  # of the findings that speak about this case
    credit: float | None = field(default=None, metadata=_IF_SET)  # earned share of the points


@dataclass(frozen=True)
class TechniqueVerdict:
    name: str  # of the technique in lab.toml
    met: bool | None  # None: not judged, as the case did not pass
    sentence: str  # what was measured, for the student
    measured: float | None = None  # in the unit of the technique's evidence
    limit: float | None = None  # in the same unit


@dataclass(frozen=True)
class FaultVerdict:
    name: str  # of the fault in lab.toml
    repaired: bool  # the kernel of its file passes the fault's cases
    sentence: str  # why not, for the student
    named: bool | None  # None: not judged, as in a student's own check
    naming: str  # why it is not named, for the student


@dataclass(frozen=True)
class SizeTime:
    """One performance size. Times are modelled (see model.py) or medians of measured ones."""

    size: Size  # by the lab's parameters
    student_ms: float  # milliseconds
    reference_ms: float  # milliseconds
    ratio: float  # reference_ms / student_ms
    student_bound: str = ""  # what the model takes for the limit: "shared memory"
    reference_bound: str = ""  # the same of the reference solution


@dataclass(frozen=True)
class LineShare:
    """A line that the modelled time goes to."""

    file: str  # as the compiler wrote it
    line: int  # from 1
    share: float  # of the time of a launch
    resource: str  # that most of it is spent at: "shared memory"


@dataclass(frozen=True)
class PerformanceVerdict:
    judged: bool  # False if there is no ratio
    sentence: str  # for the student
    ratio: float | None = None  # geometric mean of t_reference / t_student
    modelled: bool = True  # True: times are modelled from counters; False: measured on a GPU
    gpu: str = ""  # that times are of
    sizes: tuple[SizeTime, ...] = ()  # one for each size that was timed
    basis: str = ""  # of modelled times: "machine code", or "PTX" where there was none
    remedy: str | None = field(default=None, metadata=_IF_SET)  # what would help most: "uncoalesced"
    gain: float | None = field(default=None, metadata=_IF_SET)  # times as fast with that, by the model
    lines: tuple[LineShare, ...] | None = field(default=None, metadata=_IF_SET)  # by their share of the time


@dataclass(frozen=True)
class Occupancy:
    """Theoretical: warps that fit on one SM, and what keeps more from fitting."""

    compute_capability: str  # "9.0"
    blocks: int  # an SM
    warps: int  # an SM
    most_warps: int  # that an SM can hold
    limiter: str  # "registers", "shared memory", "threads", "warps" or "blocks"

    @property
    def fraction(self) -> float:
        return self.warps / self.most_warps


@dataclass(frozen=True)
class Judgement:
    build: BuildStatus  # BUILT, BUILD_FAILED or GRADER_ERROR
    cases: tuple[CaseVerdict, ...] = ()  # one for each case of lab.toml
    techniques: tuple[TechniqueVerdict, ...] = ()  # one for each technique of lab.toml
    performance: PerformanceVerdict | None = None  # None if nothing was built
    occupancy: Occupancy | None = None  # of the submission
    reference_occupancy: Occupancy | None = None  # of the reference solution
    faults: tuple[FaultVerdict, ...] | None = field(default=None, metadata=_IF_SET)  # one each of lab.toml's
