"""The page for course staff: clusters, and pairs side by side with the lines that match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..core import store
from ..records import Grades, Lab
from ..report import html
from .comparison import AlikePair, Likeness
from .documents import Candidate

MOST_PAIRS = 60  # that are shown side by side
_MOST_LINES = 400
_LONGEST_LINE = 200


@dataclass(frozen=True)
class ShownLine:
    number: int
    text: str
    marked: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PairSide:
    document: Candidate
    lines: tuple[ShownLine, ...]


@dataclass(frozen=True)
class ShownAlike:
    id: str
    pair: AlikePair
    sides: tuple[PairSide, PairSide]


def write(grades: Grades, lab: Lab, comparison: Likeness, out: Path) -> Path:
    """Write similar-LAB.html into the term's folder; returns its path."""
    text = html.page(
        "similar.html.j2",
        grades=grades,
        lab=lab,
        comparison=comparison,
        shown=tuple(_shown(comparison.pairs, "pair")),
        nearest=tuple(_shown(comparison.nearest, "near")),
        same_sizes=tuple(_shown(comparison.same_sizes, "size")),
    )
    path = out / f"similar-{lab.name}.html"
    store.write_text(path, text)
    return path


def _shown(pairs: Sequence[AlikePair], word: str) -> Iterator[ShownAlike]:
    for number, pair in enumerate(pairs[:MOST_PAIRS], 1):
        one, other = (
            _side(each, lines) for each, lines in zip((pair.one, pair.other), pair.lines, strict=True)
        )
        yield ShownAlike(f"{word}-{number}", pair, (one, other))


def _side(document: Candidate, marked: frozenset[int]) -> PairSide:
    lines = document.source.split("\n")[:_MOST_LINES]
    return PairSide(
        document,
        tuple(ShownLine(at, text[:_LONGEST_LINE], at in marked) for at, text in enumerate(lines, 1)),
    )
