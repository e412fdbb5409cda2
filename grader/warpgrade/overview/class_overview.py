"""A class at a glance: points by lab, who needs attention and why, what went wrong most often."""

from __future__ import annotations

import statistics
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..core import formatting
from ..feedback import disclosure
from ..judge.score import class_total
from ..records import Grades, Lab, LabKind, Result, Student, Verdict
from .common_failures import CommonFailure, CommonFailures
from .needs_attention import StudentAtRisk, by_urgency, student_at_risk
from .speed_comparison import SpeedComparison, SpeedComparisons

BIN = 5  # points


@dataclass(frozen=True)
class Cell:
    """One cell of the table: one lab of one student."""

    lab: str
    points: float | None
    possible: float
    text: str
    tones: tuple[str, ...]  # one for each case, including hidden cases, without their names
    summary: str


@dataclass(frozen=True)
class StudentRow:
    """A row of the table."""

    id: str
    name: str
    total: float | None  # None if no lab has points
    possible: float
    withheld: bool
    cells: tuple[Cell, ...]
    section: str = ""
    grader: str = ""


@dataclass(frozen=True)
class LabStatistics:
    lab: Lab
    graded: int
    mean: float
    median: float
    least: float
    most: float
    full: int
    failed_builds: int
    bins: tuple[int, ...]  # students by points: 0 to 4.99, 5 to 9.99, …, 100 and more


@dataclass(frozen=True)
class ClassOverview:
    entries: tuple[StudentRow, ...]
    statistics: tuple[LabStatistics, ...]
    at_risk: tuple[StudentAtRisk, ...]
    common: tuple[CommonFailure, ...]
    speed_comparisons: tuple[SpeedComparison, ...]


class ClassOverviewBuilder:
    """Takes the students one by one, so that each one's stages are loaded once and dropped again."""

    def __init__(self, grades: Grades) -> None:
        self._grades = grades
        self._entries: list[StudentRow] = []
        self._at_risk: list[StudentAtRisk] = []
        self._failures = CommonFailures(grades.labs)
        self._points = {lab.name: _Points() for lab in grades.labs}
        self._speeds = SpeedComparisons(grades)

    def add(self, student: Student) -> None:
        self._entries.append(_entry(self._grades, student))
        at_risk = student_at_risk(self._grades.labs, student)
        if at_risk.reasons:
            self._at_risk.append(at_risk)
        self._failures.add(student)
        self._speeds.add(student)
        for result in student.results:
            if result.lab in self._points:
                self._points[result.lab].add(result)

    def overview(self) -> ClassOverview:
        return ClassOverview(
            entries=tuple(self._entries),
            statistics=tuple(self._points[lab.name].statistics(lab) for lab in self._grades.labs),
            at_risk=by_urgency(self._at_risk),
            common=self._failures.by_frequency(),
            speed_comparisons=tuple(self._speeds.comparisons()),
        )


def overview(grades: Grades) -> ClassOverview:
    builder = ClassOverviewBuilder(grades)
    for student in grades.students:
        builder.add(student)
    return builder.overview()


def result_of(student: Student, lab: str) -> Result | None:
    return next((result for result in student.results if result.lab == lab), None)


# --- the table ---------------------------------------------------------------------------------


def _entry(grades: Grades, student: Student) -> StudentRow:
    why = student.problem.message if student.problem else "nothing handed in"
    cells = tuple(_cell(lab, result_of(student, lab.name), why) for lab in grades.labs)
    return StudentRow(
        id=student.id,
        name=student.name,
        total=class_total([cell.points for cell in cells]),
        possible=sum(cell.possible for cell in cells),
        withheld=any(cell.text == "withheld" for cell in cells),
        cells=cells,
        section=student.section,
        grader=student.grader,
    )


def _cell(lab: Lab, result: Result | None, why: str) -> Cell:
    """`why`: the summary of a cell without a result."""
    if result is None:
        return Cell(lab.name, None, 100.0, "–", (), why)
    points = result.score.total if result.score else None
    possible = result.score.possible if result.score else 100.0
    verdicts = [disclosure.verdict_of(result, case.name) for case in lab.cases]
    text = formatting.points(points) if points is not None else "withheld"
    return Cell(
        lab=lab.name,
        points=points,
        possible=possible,
        text=text,
        tones=tuple(formatting.SIGNS[verdict].tone for verdict in verdicts),
        summary=_summary(lab, result, verdicts),
    )


def _summary(lab: Lab, result: Result, verdicts: list[Verdict]) -> str:
    if result.problem:
        return result.problem.message
    if result.build_failed:
        return "cannot be marked" if lab.kind is LabKind.ANSWERS else "does not compile"
    passed = sum(verdict is Verdict.PASS for verdict in verdicts)
    words = list(
        dict.fromkeys(formatting.SIGNS[verdict].words for verdict in verdicts if verdict is not Verdict.PASS)
    )
    return f"{passed} of {len(verdicts)} cases pass" + (f"; {', '.join(words)}" if words else "")


# --- statistics --------------------------------------------------------------------------------


@dataclass
class _Points:
    """The points of one lab, of those who have some."""

    totals: array[float] = field(default_factory=lambda: array("d"))
    full: int = 0
    failed_builds: int = 0

    def add(self, result: Result) -> None:
        if result.score is None or result.score.total is None:
            return
        self.totals.append(result.score.total)
        self.full += result.score.total >= result.score.possible
        self.failed_builds += result.build_failed

    def statistics(self, lab: Lab) -> LabStatistics:
        totals = self.totals
        return LabStatistics(
            lab=lab,
            graded=len(totals),
            mean=statistics.fmean(totals) if totals else 0.0,
            median=statistics.median(totals) if totals else 0.0,
            least=min(totals, default=0.0),
            most=max(totals, default=0.0),
            full=self.full,
            failed_builds=self.failed_builds,
            bins=_bins(totals),
        )


def _bins(totals: Iterable[float]) -> tuple[int, ...]:
    counts = [0] * (100 // BIN + 1)
    for total in totals:
        counts[min(100 // BIN, max(0, int(total // BIN)))] += 1
    return tuple(counts)
