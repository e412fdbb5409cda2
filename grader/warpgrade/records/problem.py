"""Something that went wrong, and who can put it right."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Fault(enum.StrEnum):
    """Who can put a problem right."""

    COMMAND = "command"
    SUBMISSION = "submission"
    INSTRUCTOR = "instructor"
    GRADER = "grader"


@dataclass(frozen=True)
class Problem:
    """One thing that went wrong: whose fault, where, and what to do next."""

    fault: Fault  # who can put it right: command, submission, instructor or grader
    message: str  # one sentence
    where: str = ""  # file and line, or a path
    remedy: str = ""  # what to type or to change next

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f"\n  → {self.remedy}" if self.remedy else ""
        return f"{place}{self.message}{remedy}"
