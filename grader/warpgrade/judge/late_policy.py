"""Which attempt counts, and how late days, extensions and adjustments change its score.

Pure; course/policy.py reads policy.toml.

Each rule that applies becomes a part of the score with a sentence that explains it, so the parts of a score
always add up to its total. A score does not fall below zero.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo

from ..core import formatting
from ..course.policy import Policy
from ..records import Result, Score, Student
from .score import with_part, without_parts

_KIND = "adjustment"  # the kind of each part that this module adds
LATE = "late"  # the part of a hand-in after its deadline
UNTIMED = "late, time unknown"  # the part of a hand-in that the source only marks as late
_DAY = timedelta(days=1)


def adjusted(student: Student, policy: Policy) -> Student:
    """The student with the attempts that count, and a part of their scores for each rule that applies.

    The labs due first use free days.
    """
    free_left = policy.late.free_days
    results: list[Result] = []
    earlier: list[Result] = []
    for lab in sorted({result.lab for result in student.attempts}, key=lambda lab: _order(lab, policy)):
        attempts = [_plain(result) for result in student.attempts if result.lab == lab]
        counting, free_used = _counting(attempts, student.id, policy, free_left)
        free_left -= free_used
        results.append(counting)
        earlier += (each for each in attempts if each.attempt != counting.attempt)
    return replace(student, results=_sorted(results), earlier=_sorted(earlier))


def _sorted(results: Iterable[Result]) -> tuple[Result, ...]:
    return tuple(sorted(results, key=lambda result: (result.lab, result.attempt)))


def _plain(result: Result) -> Result:
    """The result without the parts that an earlier policy added."""
    return replace(result, score=without_parts(result.score, _KIND)) if result.score else result


def _counting(attempts: Sequence[Result], student: str, policy: Policy, free_left: int) -> tuple[Result, int]:
    """The attempt at a lab that counts, with late days and adjustments, and the number of free days that it
    uses.

    A hand-in that could not be read replaces no attempt that was graded.
    """
    read = [each for each in attempts if each.status != "refused"] or list(attempts)
    read = _as_handed_in(read, policy)
    if policy.counts == "first":
        return _adjusted(read[0], student, policy, free_left)
    if policy.counts == "last":
        return _adjusted(read[-1], student, policy, free_left)
    tried = [_adjusted(each, student, policy, free_left) for each in read]
    # A withheld attempt may still become the best. Among equal points, fewest free days win, then the latest.
    return max(reversed(tried), key=lambda found: (_points(found[0]), -found[1]))


def _as_handed_in(attempts: Sequence[Result], policy: Policy) -> list[Result]:
    """The attempts in the order of their times, as an older download may be graded later. Those without a
    time keep their places in the order of grading.
    """
    timed = iter(sorted(filter(_has_time, attempts), key=lambda each: (_moment(each, policy), each.attempt)))
    return [next(timed) if _has_time(each) else each for each in attempts]


def _has_time(result: Result) -> bool:
    return bool(result.submitted)


def _moment(result: Result, policy: Policy) -> datetime:
    due = policy.due.get(result.lab)
    return _handed_in(result, policy, due.tzinfo if due else UTC)[0]


def _points(result: Result) -> float:
    total = result.score.total if result.score else None
    return math.inf if total is None else total


def _adjusted(result: Result, student: str, policy: Policy, free_left: int) -> tuple[Result, int]:
    score = result.score
    if score is None or score.total is None:
        return result, 0  # withheld: there are no points yet
    score, free_used = _with_lateness(score, result, student, policy, free_left)
    for adjustment in policy.adjustments:
        if (adjustment.student, adjustment.lab) == (student, result.lab):
            score = _with_part(score, "adjusted by staff", adjustment.points, adjustment.reason)
    return replace(result, score=score), free_used


def _order(lab: str, policy: Policy) -> tuple[float, str]:
    due = policy.due.get(lab)
    return (due.timestamp() if due else math.inf, lab)


def _with_lateness(
    score: Score, result: Result, student: str, policy: Policy, free_left: int
) -> tuple[Score, int]:
    """The score with a part for late days or an extension, and the number of free days that it used."""
    lab = result.lab
    granted = [item for item in policy.extensions if item.student == student and item.lab in ("", lab)]
    days, sentence = _days_late(result, student, policy, extra_days=sum(item.days for item in granted))
    reasons = ", ".join(f"{_days(item.days)} more: {item.reason}" for item in granted)
    if days is None:
        unknown = "the source marks it late but gives no time; state [[late_days]] in policy.toml"
        return (_with_part(score, UNTIMED, 0.0, unknown) if result.late else score), 0
    if days == 0:
        return (_with_part(score, "extension", 0.0, f"{sentence} ({reasons})") if granted else score), 0
    most = policy.late.most_days
    earned = score.total or 0.0
    if most is not None and days > most:
        return _with_part(score, LATE, -earned, f"{sentence}; more than {most} days is too late"), 0
    free_used = min(free_left, days)
    percent = min(100.0, (days - free_used) * policy.late.percent_a_day)
    costs = [f"{free_used} free late {'day' if free_used == 1 else 'days'} used"] if free_used else []
    if left := days - free_used:
        costs.append(f"{left} at {policy.late.percent_a_day:g} % of {formatting.points(earned)}")
    sentence += f"; {', '.join(costs)}"
    if reasons:
        sentence += f" ({reasons})"
    return _with_part(score, LATE, -earned * percent / 100, sentence), free_used


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"


def _days_late(result: Result, student: str, policy: Policy, extra_days: int) -> tuple[int | None, str]:
    """Days begun after the deadline and its extension by `extra_days`, and a sentence. None if the time of
    submission is unknown.
    """
    stated = policy.late_days.get((student, result.lab))
    if stated is not None:
        left = max(0, stated - extra_days)
        return left, f"{_days(left)} late, as stated"
    due = policy.due.get(result.lab)
    if due is None or not result.submitted:
        return None, ""
    at, stamp = _handed_in(result, policy, due.tzinfo)
    over = at - (due + extra_days * _DAY)
    if over <= timedelta(minutes=policy.late.grace_minutes):
        return 0, f"in time, handed in {stamp}"
    days = -(-over // _DAY)
    return days, f"{_days(days)} late, handed in {stamp}"


def _handed_in(result: Result, policy: Policy, zone: tzinfo | None) -> tuple[datetime, str]:
    """The time of submission, in `zone` where it names none, and its text in the source. If the best or the
    first attempt counts, and several sheets state a time for the same files, it is the earliest: the files
    were handed in by then.
    """
    stamps = [result.submitted, *(() if policy.counts == "last" else result.restated or ())]
    read = [(datetime.fromisoformat(stamp), stamp) for stamp in stamps]
    return min((at if at.tzinfo else at.replace(tzinfo=zone), stamp) for at, stamp in read)


def untimed(students: Iterable[Student], policy: Policy) -> dict[str, int]:
    """Lab → hand-ins that may be late: the lab has a due date, and no time of theirs is known."""
    found: Counter[str] = Counter()
    for student in students:
        for result in student.attempts:
            known = result.submitted or result.late or (student.id, result.lab) in policy.late_days
            found[result.lab] += result.lab in policy.due and not known
    return {lab: count for lab, count in sorted(found.items()) if count}


def _with_part(score: Score, name: str, points: float, sentence: str) -> Score:
    return with_part(score, _KIND, name, points, sentence)
