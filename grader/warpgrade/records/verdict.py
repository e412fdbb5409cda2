"""What became of each case, technique and time."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from .build import BuildStatus
from .lab import Size


class Verdict(enum.StrEnum):
    """What became of one case."""

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
    name: str
    verdict: Verdict
    sentence: str
    codes: tuple[str, ...] = ()  # of the findings that speak about this case


@dataclass(frozen=True)
class TechniqueVerdict:
    name: str
    met: bool | None  # None: not judged, as the case did not pass
    sentence: str
    measured: float | None = None
    limit: float | None = None


@dataclass(frozen=True)
class SizeTime:
    """One performance size. Times are modelled (see model.py) or medians of measured ones."""

    size: Size
    student_ms: float
    reference_ms: float
    ratio: float
    student_bound: str = ""  # what the model takes for the limit: "shared memory"
    reference_bound: str = ""


@dataclass(frozen=True)
class PerformanceVerdict:
    judged: bool
    sentence: str
    ratio: float | None = None  # geometric mean of t_reference / t_student
    modelled: bool = True
    gpu: str = ""
    sizes: tuple[SizeTime, ...] = ()
    basis: str = ""  # of modelled times: "machine code", or "PTX" where there was none


@dataclass(frozen=True)
class Occupancy:
    """Theoretical: warps that fit on one SM, and what keeps more from fitting."""

    compute_capability: str
    blocks: int
    warps: int
    most_warps: int
    limiter: str

    @property
    def fraction(self) -> float:
        return self.warps / self.most_warps


@dataclass(frozen=True)
class Judgement:
    build: BuildStatus
    cases: tuple[CaseVerdict, ...] = ()
    techniques: tuple[TechniqueVerdict, ...] = ()
    performance: PerformanceVerdict | None = None
    occupancy: Occupancy | None = None
    reference_occupancy: Occupancy | None = None
