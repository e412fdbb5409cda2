"""Every attempt of a student at a lab, and what became of it: as a page and `history` show it."""

from __future__ import annotations

from dataclasses import dataclass

from ..core import formatting
from ..records import ADDED_PARTS, Result, Student


@dataclass(frozen=True)
class GradedAttempt:
    result: Result
    counts: bool  # whether it is the one whose points are the lab's
    points: str  # "87.5", "withheld"
    why: str  # what people and policy added or took, and what is in the way

    @property
    def submitted(self) -> str:
        return self.result.submitted or "–"


def attempts_of(student: Student) -> tuple[GradedAttempt, ...]:
    """All of them, by lab and number."""
    counting = {(result.lab, result.attempt) for result in student.results}
    return tuple(_attempt(each, (each.lab, each.attempt) in counting) for each in student.attempts)


def _attempt(result: Result, counts: bool) -> GradedAttempt:
    total = result.score.total if result.score else None
    return GradedAttempt(
        result, counts, "withheld" if total is None else formatting.points(total), _why(result)
    )


def _why(result: Result) -> str:
    added = [
        f"{formatting.signed(part.earned)} {part.name}: {part.sentence}"
        for part in (result.score.parts if result.score else ())
        if part.kind in ADDED_PARTS
    ]
    return "; ".join(([result.problem.message] if result.problem else []) + added)
