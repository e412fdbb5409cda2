"""Why a grade changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support import sample_results
from warpgrade.overview import changes
from warpgrade.records import Grades, Origin, Part, Result, Score
from warpgrade.report import html

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


def test_late_days_that_follow_a_review_are_no_reason() -> None:
    """They take their share of other points; a share that is another one comes from the policy."""

    def reviewed(earned: float, late: float) -> Result:
        added = (Part("review", "comment", earned, 0.0, "why"), replace(LATE, earned=late))
        parts = (*(FIRST.score.parts if FIRST.score else ()), *added)
        return replace(FIRST, score=Score(100 + earned + late, 100.0, parts))

    def between(old: Result, new: Result) -> str:
        return next(changes.changes(class_with(old), class_with(new))).reason

    assert between(reviewed(0, -20), reviewed(5, -21)) == "a review changed"
    assert between(reviewed(0, -20), reviewed(5, -31.5)).startswith("a review changed; late days")


def test_another_submission_at_another_time() -> None:
    later = with_part(
        LATE, submitted="2026-10-04T10:00:00", origin=replace(ORIGIN, submission="other", grader="another")
    )
    assert reason(later) == "another submission; handed in at another time"


def test_a_case_that_is_judged_otherwise_is_the_graders() -> None:
    case = Part("case", "more", 5.0, 5.0)
    assert reason(with_part(case, origin=replace(ORIGIN, grader="another"))) == "the grader changed"


def told(new: Result) -> tuple[list[str], list[tuple[str, str, str]]]:
    """The summaries and the rows of the change from FIRST to `new`."""
    old, now = class_with(FIRST), class_with(new)
    rows = [(each.what, each.before, each.after) for each in changes.changes(old, now)]
    return list(map(str, changes.summaries(old, now))), rows


def test_another_sentence_alone_is_no_change_anywhere() -> None:
    assert FIRST.score
    parts = tuple(replace(part, sentence=f"{part.sentence} 1.2 times") for part in FIRST.score.parts)
    assert told(replace(FIRST, score=replace(FIRST.score, parts=parts))) == (["02-tiled: 1 unchanged"], [])


def test_other_parts_of_the_same_total_and_another_attempt_are_changes() -> None:
    moved = with_part(replace(LATE, earned=0.0))
    assert told(moved) == (
        ["02-tiled: 1 otherwise changed"],
        [("total", "100", changes.SAME_TOTAL), ("adjustment late", "–", "0/0")],
    )
    again = replace(FIRST, attempt=2)
    assert told(again) == (["02-tiled: 1 otherwise changed"], [("total", "100", changes.SAME_TOTAL)])


def test_the_page_counts_changes_as_the_summaries_do(tmp_path: Path) -> None:
    old, new = class_with(FIRST), class_with(with_part(LATE))
    found = tuple(changes.changes(old, new))
    page = html.write_changes(new, found, changes.summaries(old, new), tmp_path).read_text()
    assert len(found) == 2 and ">1 change<" in page
