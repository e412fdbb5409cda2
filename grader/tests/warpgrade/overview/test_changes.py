"""Why a grade changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support import sample_results
from warpgrade.overview import changes
from warpgrade.records import Grades, Origin, Part, Result

GRADES = sample_results.grades()
ADA = next(student for student in GRADES.students if student.id == "ada")
ORIGIN = Origin("lab", "work", "grader", "13.0", "h200", "seed", "tools")
LATE = Part("adjustment", "late", -20.0, 0.0, "2 days late")
FIRST = replace(ADA.results[0], origin=ORIGIN, submitted="2026-10-01T10:00:00")


def class_with(result: Result) -> Grades:
    return replace(GRADES, students=(replace(ADA, results=(result,)),))


def reason(now: Result) -> str:
    found = changes.changes(class_with(FIRST), class_with(now))
    return next(each.reason for each in found if each.what == "total")


def with_part(part: Part, **others: object) -> Result:
    assert FIRST.score is not None and FIRST.score.total is not None
    total = FIRST.score.total + part.earned
    score = replace(FIRST.score, total=total, parts=(*FIRST.score.parts, part))
    return replace(FIRST, score=score, **others)  # type: ignore[arg-type]


NEWER = replace(ORIGIN, grader="another", tools="others")


@pytest.mark.parametrize("origin", [ORIGIN, NEWER])
def test_another_time_is_the_reason_whatever_else_is_new(origin: Origin) -> None:
    later = with_part(LATE, submitted="2026-10-04T10:00:00", origin=origin)
    assert reason(later) == "handed in at another time"


def test_late_days_of_the_same_time_come_from_the_policy() -> None:
    assert reason(with_part(LATE, origin=NEWER)).startswith("late days or an adjustment: policy.toml changed")


def test_another_submission_at_another_time() -> None:
    later = with_part(
        LATE, submitted="2026-10-04T10:00:00", origin=replace(ORIGIN, submission="other", grader="another")
    )
    assert reason(later) == "another submission; handed in at another time"


def test_a_case_that_is_judged_otherwise_is_the_graders() -> None:
    case = Part("case", "more", 5.0, 5.0)
    assert reason(with_part(case, origin=replace(ORIGIN, grader="another"))) == "the grader changed"
