"""The wrong elements of a one-dimensional array as rows of squares, each row with its first index."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from markupsafe import Markup

from .element_cells import WORDS, Line

ACROSS = 32  # squares in a row
_FEWEST = 2  # squares of a block whose start is marked
_DIGIT = 6  # picture units of a digit


def lines(line: Line, cell: int) -> Iterator[Markup]:
    """The start of each block, and the first index of each row, which stands to the left of x = 0."""
    for row in range(0, len(line.cells), ACROSS):
        yield Markup('<text class="small" x="-4" y="{}" text-anchor="end">{}</text>').format(
            (row // ACROSS + 1) * cell - 1, line.start(row)
        )
    for at in sorted(line.block_starts(_FEWEST)):
        x, y = at % ACROSS * cell, at // ACROSS * cell
        yield Markup('<path class="tile" d="M{} {}v{}"/>').format(x, y, cell)


def margin(line: Line) -> int:
    """Picture units to the left of the squares."""
    return 6 + _DIGIT * len(str(line.elements - 1))


def rows(line: Line) -> tuple[str, ...]:
    return tuple(line.cells[at : at + ACROSS] for at in range(0, len(line.cells), ACROSS))


def place(line: Line) -> tuple[int, int]:
    """Column and row of the square with the first wrong element."""
    at = line.cell_of(line.first)
    return at % ACROSS, at // ACROSS


def runs(line: Line) -> Iterator[tuple[int, int, str]]:
    """First and last element of neighbouring squares of one kind, and what they are."""
    at = 0
    for mark, group in itertools.groupby(line.cells):
        end = at + len(list(group))
        yield line.start(at), line.start(end) - 1, WORDS[mark]
        at = end
