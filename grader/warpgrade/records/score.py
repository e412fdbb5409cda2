"""Points, part by part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    kind: str  # "build", "case", "technique", "performance"; "adjustment" (possible 0) for course policy
    name: str
    earned: float
    possible: float
    sentence: str = ""


@dataclass(frozen=True)
class Score:
    """`total` is None where it is withheld because of a fault of ours."""

    total: float | None
    possible: float
    parts: tuple[Part, ...]
