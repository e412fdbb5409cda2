"""The wrong elements of a one-dimensional array in a terminal, in rows that begin with an index."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import Wrong
from .element_cells import SIGNS, WORDS, line_of

ACROSS, MOST = 16, 256  # signs in a row, and in all rows
_FEWEST = 2  # signs of a block whose start is marked


def drawn(wrong: Wrong, outputs: Sequence[int] | None) -> list[str]:
    """Lines of text, none if a map says nothing: all signs alike."""
    if len(set("".join(wrong.map))) < 2:
        return []
    line = line_of(wrong, outputs).reduced(MOST)
    starts = line.block_starts(_FEWEST)
    width = len(str(line.elements - 1))
    lines = []
    for row in range(0, len(line.cells), ACROSS):
        cells = range(row, min(row + ACROSS, len(line.cells)))
        signs = "".join(("│" if at in starts else " ") + SIGNS[line.cells[at]] for at in cells)
        lines.append(f"{line.start(row):>{width}} {signs}")
    return lines


def legend(wrong: Wrong, outputs: Sequence[int] | None) -> str:
    """The meaning of the signs in this map."""
    line = line_of(wrong, outputs).reduced(MOST)
    parts = [f"{SIGNS[mark]} {words}" for mark, words in WORDS.items() if mark in line.cells]
    if line.block_starts(_FEWEST):
        parts.append(f"│ a block begins, of {line.block:,} elements")
    if line.each > 1:
        parts.append(f"{line.name} has {line.elements:,} elements: a sign stands for up to {line.each:,}")
    return "   ".join(parts)
