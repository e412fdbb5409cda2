"""How late days, extensions and adjustments change a score. Pure; course/policy.py reads policy.toml.

Each rule that applies becomes a part of the score with a sentence that explains it, so the parts of a score
always add up to its total. A score does not fall below zero.
"""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timedelta

from ..course.policy import Policy
from ..records import Part, Result, Score, Student

_DIGITS = 2
_DAY = timedelta(days=1)


def adjusted(student: Student, policy: Policy) -> Student:
    """The student with a part of the score for each rule that applies. The labs due first use free days."""
    free_left = policy.late.free_days
    changed: dict[str, Result] = {}
    for result in sorted(student.results, key=lambda result: _order(result.lab, policy)):
        score = result.score
        if score is None or score.total is None:
            continue  # withheld: there are no points yet
        score, free_used = _with_lateness(score, result.lab, student, policy, free_left)
        free_left -= free_used
        for adjustment in policy.adjustments:
            if (adjustment.student, adjustment.lab) == (student.id, result.lab):
                score = _with_part(score, "adjusted by staff", adjustment.points, adjustment.reason)
        changed[result.lab] = replace(result, score=score)
    return replace(student, results=tuple(changed.get(result.lab, result) for result in student.results))


def _order(lab: str, policy: Policy) -> tuple[float, str]:
    due = policy.due.get(lab)
    return (due.timestamp() if due else math.inf, lab)


def _with_lateness(
    score: Score, lab: str, student: Student, policy: Policy, free_left: int
) -> tuple[Score, int]:
    """The score with a part for late days or an extension, and the number of free days that it used."""
    granted = [item for item in policy.extensions if item.student == student.id and item.lab in ("", lab)]
    days, sentence = _days_late(lab, student, policy, extra_days=sum(item.days for item in granted))
    reasons = ", ".join(f"{_days(item.days)} more: {item.reason}" for item in granted)
    if days is None:
        unknown = "the source marks it late but gives no time; state [[late_days]] in policy.toml"
        return (_with_part(score, "late", 0.0, unknown) if student.late else score), 0
    if days == 0:
        return (_with_part(score, "extension", 0.0, f"{sentence} ({reasons})") if granted else score), 0
    most = policy.late.most_days
    earned = score.total or 0.0
    if most is not None and days > most:
        return _with_part(score, "late", -earned, f"{sentence}; more than {most} days is too late"), 0
    free_used = min(free_left, days)
    percent = min(100.0, (days - free_used) * policy.late.percent_a_day)
    sentence += f"; {free_used} free late {'day' if free_used == 1 else 'days'} used"
    sentence += f", {days - free_used} at {policy.late.percent_a_day:g} % of {earned:g}"
    if reasons:
        sentence += f" ({reasons})"
    return _with_part(score, "late", -earned * percent / 100, sentence), free_used


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"


def _days_late(lab: str, student: Student, policy: Policy, extra_days: int) -> tuple[int | None, str]:
    """Days begun after the deadline and its extension by `extra_days`, and a sentence. None if the time of
    submission is unknown.
    """
    stated = policy.late_days.get((student.id, lab))
    if stated is not None:
        left = max(0, stated - extra_days)
        return left, f"{_days(left)} late, as stated"
    due = policy.due.get(lab)
    if due is None or not student.submitted:
        return None, ""
    at = datetime.fromisoformat(student.submitted)
    at = at if at.tzinfo else at.replace(tzinfo=due.tzinfo)
    over = at - (due + extra_days * _DAY)
    if over <= timedelta(minutes=policy.late.grace_minutes):
        return 0, f"in time, handed in {student.submitted}"
    days = -(-over // _DAY)
    return days, f"{_days(days)} late, handed in {student.submitted}"


def _with_part(score: Score, name: str, points: float, sentence: str) -> Score:
    """The score with one more part. A deduction takes at most the points that are left."""
    total = score.total or 0.0
    earned = round(max(points, -total), _DIGITS)
    part = Part("adjustment", name, earned, 0.0, sentence)
    return replace(score, total=round(total + earned, _DIGITS), parts=(*score.parts, part))
