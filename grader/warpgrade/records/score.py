"""Points, part by part."""

from __future__ import annotations

from dataclasses import dataclass

# Kinds of parts that have no points of their own: what a lab takes for a finding, a review by hand, late days
# and other adjustments of the policy.
ADDED_PARTS = ("deduction", "review", "adjustment")


@dataclass(frozen=True)
class Part:
    kind: str  # "build", "case", "technique", "fault", "performance", "deduction", "review", "adjustment"
    name: str  # of the case, technique or fault
    earned: float  # points
    possible: float  # points
    sentence: str = ""  # why not all points

    @property
    def full_name(self) -> str:
        """ "case small"; "build", of which a lab has one."""
        return self.kind if self.kind == self.name else f"{self.kind} {self.name}"


@dataclass(frozen=True)
class Score:
    """`total` is None if it is withheld because of an error of the grader."""

    total: float | None  # sum of the parts, rounded to cents
    possible: float  # 100 for a lab
    parts: tuple[Part, ...]  # build, cases, techniques, faults, performance, then what is added or taken
