"""Late days, extensions and adjustments: each a part of the score, and the parts add up."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from support.fake_repository import write
from warpgrade.course import policy
from warpgrade.course.policy import Policy
from warpgrade.judge import late_policy
from warpgrade.records import Part, Result, Score, Student

TOML = """\
term = "2026 autumn"

[due]
"01-a" = 2026-10-01T12:00:00+00:00
"02-b" = 2026-10-08T12:00:00+00:00

[late]
free_days = 2
percent_a_day = 10
most_days = 5
grace_minutes = 10

[[extension]]
student = "ill"
lab = "01-a"
days = 3
reason = "ill"

[[late_days]]
student = "stated"
lab = "01-a"
days = 3

[[adjustment]]
student = "copy"
lab = "01-a"
points = -95
reason = "copied"

[[adjustment]]
student = "copy"
lab = "02-b"
points = 2.5
reason = "found a mistake in the lab"
"""


@pytest.fixture
def rules(tmp_path: Path) -> Policy:
    return policy.load(write(tmp_path / "policy.toml", TOML))


def result(lab: str, total: float | None = 80.0, **about: Any) -> Result:
    parts = (Part("build", "build", 10.0, 10.0), Part("case", "first", 70.0, 90.0))
    return Result(
        lab, "graded" if total is not None else "withheld", score=Score(total, 100.0, parts), **about
    )


def after(rules: Policy, id: str, submitted: str = "", late: bool = False) -> list[tuple[float | None, str]]:
    """Total and the words of the adjustments, by lab."""
    student = Student(
        id, id, id, tuple(result(lab, submitted=submitted, late=late) for lab in ("01-a", "02-b"))
    )
    found: list[tuple[float | None, str]] = []
    for changed in late_policy.adjusted(student, rules).results:
        assert changed.score is not None and changed.score.total is not None
        assert math.isclose(changed.score.total, math.fsum(part.earned for part in changed.score.parts))
        words = [part.sentence for part in changed.score.parts if part.kind == "adjustment"]
        found.append((changed.score.total, "; ".join(words)))
    return found


@pytest.mark.parametrize(
    ("submitted", "totals"),
    [
        ("2026-10-01T12:00:00+00:00", [80, 80]),
        ("2026-10-01T12:10:00+00:00", [80, 80]),
        ("2026-10-01T14:05:00+02:00", [80, 80]),
        ("2026-10-01T12:11:00", [80, 80]),
        ("2026-10-04T11:00:00+00:00", [72, 80]),
        ("2026-10-06T12:00:00+00:00", [56, 80]),
        ("2026-10-06T12:30:00+00:00", [0, 80]),
    ],
    ids=["in time", "grace", "zones", "free day", "one day beyond", "last day", "too late"],
)
def test_days(rules: Policy, submitted: str, totals: list[float]) -> None:
    assert [total for total, _ in after(rules, "ann", submitted)] == totals


def test_free_days_are_for_the_term(rules: Policy) -> None:
    found = after(rules, "ann", "2026-10-10T11:00:00+00:00")
    assert found[0][0] == 0 and "too late" in found[0][1]
    assert found[1] == (
        80,
        "2 days late, handed in 2026-10-10T11:00:00+00:00; 2 free late days used",
    )
    at = "2026-10-09T11:00:00+00:00"
    both = Student("stated", "", "", (result("01-a", submitted=at), result("02-b", submitted=at)))
    scores = [item.score.total for item in late_policy.adjusted(both, rules).results if item.score]
    assert scores == [72, 72], "three days on the first lab take both free days"


def test_points_are_written_as_on_the_pages(rules: Policy) -> None:
    third = Student("ann", "", "", (result("01-a", 280 / 3, submitted="2026-10-04T11:00:00+00:00"),))
    (changed,) = late_policy.adjusted(third, rules).results
    assert changed.score is not None
    assert changed.score.parts[-1].sentence.endswith("1 at 10 % of 93.33")


def test_extension(rules: Policy) -> None:
    (total, words), _ = after(rules, "ill", "2026-10-04T11:00:00+00:00")
    assert total == 80 and "3 days more: ill" in words


def test_adjustments_stop_at_zero_and_may_add(rules: Policy) -> None:
    assert after(rules, "copy") == [(0, "copied"), (82.5, "found a mistake in the lab")]


def test_late_without_a_time_is_asked_about(rules: Policy) -> None:
    total, words = after(rules, "ann", late=True)[0]
    assert total == 80 and "[[late_days]]" in words


def test_withheld_stays_withheld(rules: Policy) -> None:
    student = Student("copy", "", "", (result("01-a", None),))
    assert late_policy.adjusted(student, rules) == student


def test_hand_ins_without_a_time_are_counted_by_lab(rules: Policy) -> None:
    untimed = Student("ann", "ann", "ann", (result("01-a"), result("02-b"), result("03-never-due")))
    timed = Student("bob", "bob", "bob", (result("01-a", submitted="2026-10-01T12:00:00+00:00"),))
    stated = Student("stated", "stated", "stated", (result("01-a"), result("02-b", late=True)))
    assert late_policy.untimed((untimed, timed, stated), rules) == {"01-a": 1, "02-b": 1}
