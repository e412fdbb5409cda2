"""A course's rules on time and its exceptions, by term: policy.toml.

    term = "2026 autumn"

    [due]                              # with a zone; a lab without one is never late
    "02-tiled" = 2026-10-02T23:59:00-04:00

    [late]
    free_days = 3                      # a term, for all labs of a student together
    percent_a_day = 10                 # of what was earned, for each day beyond
    most_days = 5                      # later than that nothing is left (optional)
    grace_minutes = 10

    [[extension]]                      # lab is optional: all labs
    student = "alice"
    lab = "02-tiled"
    days = 2
    reason = "ill"

    [[late_days]]                      # where the source tells no time
    student = "bob"
    lab = "02-tiled"
    days = 1

    [[adjustment]]
    student = "carol"
    lab = "02-tiled"
    points = -5
    reason = "copied comments"

Each rule that applies becomes a part of the score with the sentence that explains it, so that
the parts of a score always add up to it. A score does not fall below zero.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ..core.errors import InstructorError, UsageError
from ..core.toml import line_of, parsed
from ..records import Part, Result, Score, Student

_DIGITS = 2
_DAY = timedelta(days=1)
_KEYS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "late": {"free_days": int, "percent_a_day": (int, float), "most_days": int, "grace_minutes": int},
    "extension": {"student": str, "lab": str, "days": int, "reason": str},
    "late_days": {"student": str, "lab": str, "days": int},
    "adjustment": {"student": str, "lab": str, "points": (int, float), "reason": str},
}
_NEEDED = {
    "extension": ("student", "days", "reason"),
    "late_days": ("student", "lab", "days"),
    "adjustment": ("student", "lab", "points", "reason"),
}


@dataclass(frozen=True)
class Late:
    free_days: int = 0
    percent_a_day: float = 0.0
    most_days: int | None = None
    grace_minutes: int = 0


@dataclass(frozen=True)
class Extension:
    student: str
    days: int
    reason: str
    lab: str = ""  # empty: all


@dataclass(frozen=True)
class Adjustment:
    student: str
    lab: str
    points: float
    reason: str


@dataclass(frozen=True)
class Policy:
    term: str = ""
    due: dict[str, datetime] = field(default_factory=dict)
    late: Late = Late()
    extensions: tuple[Extension, ...] = ()
    late_days: dict[tuple[str, str], int] = field(default_factory=dict)
    adjustments: tuple[Adjustment, ...] = ()


# --- reading -----------------------------------------------------------------------------------


def load(file: Path) -> Policy:
    """UsageError where it is missing, InstructorError with the line of what is wrong."""
    try:
        text, data = parsed(file.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", file=file) from None
    except tomllib.TOMLDecodeError as error:
        raise InstructorError(str(error), file=file) from None
    _check(data, text, file)
    return Policy(
        term=str(data.get("term", "")),
        due=dict(data.get("due", {})),
        late=Late(**data.get("late", {})),
        extensions=tuple(Extension(**row) for row in data.get("extension", [])),
        late_days={(row["student"], row["lab"]): row["days"] for row in data.get("late_days", [])},
        adjustments=tuple(Adjustment(**row) for row in data.get("adjustment", [])),
    )


def _check(data: dict[str, Any], text: str, file: Path) -> None:
    def wrong(message: str, *path: str | int) -> InstructorError:
        return InstructorError(message, file=file, line=line_of(text, list(path)))

    for key in data.keys() - {"term", "due", *_KEYS}:
        raise wrong(f"unknown key {key}", key)
    for lab, due in data.get("due", {}).items():
        if not isinstance(due, datetime) or due.tzinfo is None:
            raise wrong(f"due of {lab} is no date and time with a zone", "due", lab)
    for table, keys in _KEYS.items():
        rows = data.get(table, {} if table == "late" else [])
        if not isinstance(rows, dict if table == "late" else list):
            raise wrong(f"{table} is written [{table}]" if table == "late" else f"write [[{table}]]", table)
        for number, row in enumerate([rows] if isinstance(rows, dict) else rows):
            path = (table,) if table == "late" else (table, number)
            for key in row.keys() - keys.keys():
                raise wrong(f"unknown key {key} in {table}", *path)
            for key in _NEEDED.get(table, ()):
                if key not in row:
                    raise wrong(f"{table} lacks {key}", *path)
            for key, value in row.items():
                if not isinstance(value, keys[key]) or isinstance(value, bool):
                    raise wrong(f"{key} of {table} cannot be {value!r}", *path)


# --- applying ----------------------------------------------------------------------------------


def adjusted(student: Student, policy: Policy) -> Student:
    """The student with every rule that applies as a part of the score, labs in the order they were due."""
    free = policy.late.free_days
    changed: dict[str, Result] = {}
    for result in sorted(student.results, key=lambda result: _order(result.lab, policy)):
        score = result.score
        if score is None or score.total is None:
            continue  # withheld: there is nothing to take from yet
        score, used = _with_time(score, result.lab, student, policy, free)
        free -= used
        for adjustment in policy.adjustments:
            if (adjustment.student, adjustment.lab) == (student.id, result.lab):
                score = _with_part(score, "adjusted by staff", adjustment.points, adjustment.reason)
        changed[result.lab] = replace(result, score=score)
    return replace(student, results=tuple(changed.get(result.lab, result) for result in student.results))


def _order(lab: str, policy: Policy) -> tuple[float, str]:
    due = policy.due.get(lab)
    return (due.timestamp() if due else math.inf, lab)


def _with_time(score: Score, lab: str, student: Student, policy: Policy, free: int) -> tuple[Score, int]:
    """The score with what lateness costs, and how many free days went."""
    granted = [item for item in policy.extensions if item.student == student.id and item.lab in ("", lab)]
    days, how = _days_late(lab, student, policy, sum(item.days for item in granted))
    reasons = ", ".join(f"{_days(item.days)} more: {item.reason}" for item in granted)
    if days is None:
        told = "the source marks it late but tells no time; state [[late_days]] in policy.toml"
        return (_with_part(score, "late", 0.0, told) if student.late else score), 0
    if days == 0:
        return (_with_part(score, "extension", 0.0, f"{how} ({reasons})") if granted else score), 0
    most = policy.late.most_days
    earned = score.total or 0.0
    if most is not None and days > most:
        return _with_part(score, "late", -earned, f"{how}; more than {most} days is too late"), 0
    used = min(free, days)
    percent = min(100.0, (days - used) * policy.late.percent_a_day)
    free_ones = f"{used} free late {'day' if used == 1 else 'days'} used"
    sentence = f"{how}; {free_ones}, {days - used} at {policy.late.percent_a_day:g} % of {earned:g}"
    if reasons:
        sentence += f" ({reasons})"
    return _with_part(score, "late", -earned * percent / 100, sentence), used


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"


def _days_late(lab: str, student: Student, policy: Policy, more: int) -> tuple[int | None, str]:
    """Whole days begun after the deadline, with words; None where nothing tells."""
    stated = policy.late_days.get((student.id, lab))
    if stated is not None:
        left = max(0, stated - more)
        return left, f"{_days(left)} late, as stated"
    due = policy.due.get(lab)
    if due is None or not student.submitted:
        return None, ""
    at = datetime.fromisoformat(student.submitted)
    at = at if at.tzinfo else at.replace(tzinfo=due.tzinfo)
    over = at - (due + more * _DAY)
    if over <= timedelta(minutes=policy.late.grace_minutes):
        return 0, f"in time, handed in {student.submitted}"
    days = -(-over // _DAY)
    return days, f"{_days(days)} late, handed in {student.submitted}"


def _with_part(score: Score, name: str, points: float, sentence: str) -> Score:
    """The parts still add up; where less is left than is to be taken, all of it is taken."""
    total = score.total or 0.0
    earned = round(max(points, -total), _DIGITS)
    part = Part("adjustment", name, earned, 0.0, sentence)
    return replace(score, total=round(total + earned, _DIGITS), parts=(*score.parts, part))
