"""Points add up, and speed is paid without cliffs."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from support.fake_repository import LAB
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.course.policy import Policy
from warpgrade.judge import late_policy, score
from warpgrade.records import (
    BuildStatus,
    CaseVerdict,
    Deduction,
    Judgement,
    Lab,
    Performance,
    PerformanceVerdict,
    Result,
    Student,
    TechniqueVerdict,
    Verdict,
)

PERFORMANCE = Performance(20, ((1, 1, 1),), ((1, 1, 1),), full=0.9, none=0.2)


@pytest.fixture
def item(repository: Repository) -> Lab:
    return lab.load(repository.labs / LAB)


def judgement(item: Lab, *verdicts: Verdict, met: bool | None = True, ratio: float | None = 1.0) -> Judgement:
    cases = tuple(
        CaseVerdict(case.name, verdict, "why") for case, verdict in zip(item.cases, verdicts, strict=True)
    )
    technique = (TechniqueVerdict("reuse", met, "why"),)
    performance = PerformanceVerdict(ratio is not None, "why", ratio)
    return Judgement(BuildStatus.BUILT, cases, technique, performance)


def test_everything(item: Lab) -> None:
    found = score.score(judgement(item, Verdict.PASS, Verdict.PASS, Verdict.PASS), item)
    assert found.total == 100 and found.possible == 100


def test_the_parts_add_up(item: Lab) -> None:
    found = score.score(
        judgement(item, Verdict.PASS, Verdict.RACE, Verdict.PASS, met=False, ratio=None), item
    )
    assert found.total == 50 == sum(part.earned for part in found.parts)
    assert [part.kind for part in found.parts] == [
        "build",
        "case",
        "case",
        "case",
        "technique",
        "performance",
    ]
    assert found.parts[2].earned == 0 and found.parts[2].sentence == "why"


def test_of_a_class_what_is_unknown_is_no_zero() -> None:
    assert score.class_total([]) is None and score.class_total([None, None]) is None
    assert score.class_total([None, 0.0]) == 0 and score.class_total([20.5, None, 30]) == 50.5


def test_not_built(item: Lab) -> None:
    cases = tuple(CaseVerdict(case.name, Verdict.SKIPPED, "") for case in item.cases)
    found = score.score(Judgement(BuildStatus.BUILD_FAILED, cases), item)
    assert found.total == 0 and len(found.parts) == 6


def test_a_fault_of_ours_withholds_the_total(item: Lab) -> None:
    found = score.score(judgement(item, Verdict.PASS, Verdict.GRADER_ERROR, Verdict.PASS), item)
    assert found.total is None
    ours = Judgement(
        BuildStatus.GRADER_ERROR, tuple(CaseVerdict(c.name, Verdict.GRADER_ERROR, "") for c in item.cases)
    )
    assert score.score(ours, item).total is None


@pytest.mark.parametrize(
    ("ratio", "points"), [(0.0, 0), (0.1, 0), (0.2, 0), (0.9, 20), (3.0, 20), (math.sqrt(0.18), 10)]
)
def test_performance_points(ratio: float, points: float) -> None:
    assert score.performance_points(ratio, PERFORMANCE) == pytest.approx(points, abs=0.01)


def test_one_percent_of_time_is_never_a_cliff() -> None:
    ratio = 0.15
    while ratio < 1:
        step = score.performance_points(ratio * 1.01, PERFORMANCE) - score.performance_points(
            ratio, PERFORMANCE
        )
        assert 0 <= step <= 0.007 * PERFORMANCE.points + 0.01
        ratio *= 1.01


def test_a_lab_may_take_points_for_a_finding_that_makes_nothing_wrong(item: Lab) -> None:
    verdict = judgement(item, *[Verdict.PASS] * len(item.cases))
    cases = (replace(verdict.cases[0], codes=("WG122",)), *verdict.cases[1:])
    found = replace(verdict, cases=cases)
    assert score.score(found, item).total == 100
    taking = replace(item, deductions=(Deduction("WG122", 5.0), Deduction("WG113", 3.0)))
    assert score.score(found, taking).total == 95
    assert score.score(found, replace(item, deductions=(Deduction("WG122", 500.0),))).total == 0


@pytest.mark.parametrize("count", [1, 2])
def test_the_policy_keeps_what_a_lab_takes_for_a_finding(item: Lab, count: int) -> None:
    verdict = judgement(item, *[Verdict.PASS] * len(item.cases))
    found = replace(verdict, cases=(replace(verdict.cases[0], codes=("WG122",)), *verdict.cases[1:]))
    taken = score.score(found, replace(item, deductions=(Deduction("WG122", 5.0),)))
    student = Student("ann", "ann", "ann", (Result(item.name, "graded", score=taken),))
    for _ in range(count):  # grading again applies the policy again
        student = late_policy.adjusted(student, Policy())
    assert student.results[0].score == taken and taken.total == 95
