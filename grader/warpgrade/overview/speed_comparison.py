"""The fastest and the slowest right kernels of each lab."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..records import Grades, Result, Student
from .common_failures import AffectedStudent

EACH = 3  # kernels of either kind


@dataclass(frozen=True)
class LabSpeed:
    student: AffectedStudent
    ratio: float  # t_reference / t_student
    bound: str


@dataclass(frozen=True)
class SpeedComparison:
    """The fastest and the slowest right kernels of one lab; no one is in both lists."""

    lab: str
    timed: int
    modelled: bool
    fastest: tuple[LabSpeed, ...]
    slowest: tuple[LabSpeed, ...]


@dataclass
class _Timed:
    """The timed kernels of one lab: their number, and the fastest and slowest of them, ordered by speed."""

    count: int = 0
    ends: list[LabSpeed] = field(default_factory=list)

    def add(self, speed: LabSpeed) -> None:
        self.count += 1
        bisect.insort(self.ends, speed, key=lambda each: (-each.ratio, each.student.id))
        del self.ends[EACH:-EACH]


class SpeedComparisons:
    """Takes the students one by one."""

    def __init__(self, grades: Grades) -> None:
        self._modelled = grades.setting.device != "gpu"
        self._timed = {lab.name: _Timed() for lab in grades.labs}

    def add(self, student: Student) -> None:
        for result in student.results:
            speed = _speed(student, result)
            if speed is not None and result.lab in self._timed:
                self._timed[result.lab].add(speed)

    def comparisons(self) -> Iterator[SpeedComparison]:
        """The comparison of each lab with a timed kernel."""
        for lab, timed in self._timed.items():
            if timed.count:
                fastest, slowest = timed.ends[:EACH], timed.ends[EACH:]
                yield SpeedComparison(
                    lab, timed.count, self._modelled, tuple(fastest), tuple(reversed(slowest))
                )


def _speed(student: Student, result: Result) -> LabSpeed | None:
    performance = result.judgement.performance if result.judgement else None
    if performance is None or not performance.ratio:
        return None
    bound = performance.sizes[0].student_bound if performance.sizes else ""
    return LabSpeed(AffectedStudent(student.id, student.name), performance.ratio, bound)
