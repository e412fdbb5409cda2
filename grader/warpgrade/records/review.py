"""What a person of the course staff writes about a hand-in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Remark:
    """A comment or a rubric item, with points or without."""

    text: str  # one sentence or more
    points: float = 0.0  # added to the score; negative: taken from it
    by: str = ""  # who wrote it
    file: str = ""  # as the lab calls it; empty: the lab's first file
    line: int | None = None  # from 1; None: about the whole hand-in
    item: str = ""  # of the rubric; empty for a comment
