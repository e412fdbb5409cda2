"""Every attempt of a student, with its points and the reason for them, as a page and `history` show them."""

from __future__ import annotations

from dataclasses import dataclass

from ..core import formatting
from ..records import ADDED_PARTS, Result, Student


@dataclass(frozen=True)
class GradedAttempt:
    result: Result
    counts: bool  # whether the lab's points are those of this attempt
    points: str  # "87.5", "withheld"
    why: str  # what withholds the points; what people and the policy added or took

    @property
    def submitted(self) -> str:
        return self.result.submitted or "–"


def attempts_of(student: Student) -> tuple[GradedAttempt, ...]:
    """The student's attempts, ordered by lab and number."""
    counting = {(result.lab, result.attempt) for result in student.results}
    return tuple(_attempt(each, (each.lab, each.attempt) in counting) for each in student.attempts)


def _attempt(result: Result, counts: bool) -> GradedAttempt:
    total = result.score.total if result.score else None
    return GradedAttempt(
        result, counts, "withheld" if total is None else formatting.points(total), _why(result)
    )


def _why(result: Result) -> str:
    added = [
        f"{f'{formatting.signed(part.earned)} ' if part.earned else ''}{part.name}: {part.sentence}"
        for part in (result.score.parts if result.score else ())
        if part.kind in ADDED_PARTS
    ]
    return "; ".join(([result.problem.message] if result.problem else []) + added)
