"""Something that went wrong, and who can correct it."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Fault(enum.StrEnum):
    """Who can correct a problem."""

    COMMAND = "command"
    SUBMISSION = "submission"
    INSTRUCTOR = "instructor"
    GRADER = "grader"


@dataclass(frozen=True)
class Problem:
    """One thing that went wrong: whose fault, where, and what to do next."""

    fault: Fault  # who can correct it: command, submission, instructor or grader
    message: str  # one sentence
    where: str = ""  # file and line, or a path
    remedy: str = ""  # what to type or to change next

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f"\n  → {self.remedy}" if self.remedy else ""
        return f"{place}{self.message}{remedy}"
