"""The wrong elements of an array in a terminal: a small map with the blocks' tiles as a grid."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import Wrong
from . import element_line_text
from .element_cells import SIGNS, UNWRITTEN, WORDS, is_vector, slice_of, worst

MOST = 16  # squares a side: a map leaves space for the text beside it
_FEWEST = 2  # squares between two lines of the grid


def drawn(wrong: Wrong, outputs: Sequence[int] | None) -> list[str]:
    """Lines of text, none if a map says nothing: all squares alike.

    `outputs`: the elements that one block computes, x first; None if no launch covers the array.
    """
    if is_vector(wrong):
        return element_line_text.drawn(wrong, outputs)
    part = slice_of(wrong, outputs)
    size, tile = (part.rows, part.columns), part.tile
    rows = _reduced(wrong.map)
    if not rows or len({mark for row in rows for mark in row}) < 2:
        return []
    across = _edges(len(rows[0]), size[1], tile[0] if tile else 0)
    down = _edges(len(rows), size[0], tile[1] if tile else 0)
    lines = []
    for y, row in enumerate(rows):
        if y in down:
            lines.append(_join(["─"] * len(row), across, "┼", "─"))
        lines.append(_join([SIGNS.get(mark, SIGNS[UNWRITTEN]) for mark in row], across, "│", " "))
    return lines


def legend(wrong: Wrong, outputs: Sequence[int] | None) -> str:
    """The meaning of the signs in this map."""
    if is_vector(wrong):
        return element_line_text.legend(wrong, outputs)
    part = slice_of(wrong, outputs)
    size, tile = (part.rows, part.columns), part.tile
    rows = _reduced(wrong.map)
    used = {mark for row in rows for mark in row}
    parts = [f"{SIGNS[mark]} {words}" for mark, words in WORDS.items() if mark in used]
    if len(wrong.cells_shape) > 2:
        parts.append(f"this is {part.name}, the slice of the first wrong element")
    if tile and rows and (_edges(len(rows[0]), size[1], tile[0]) or _edges(len(rows), size[0], tile[1])):
        parts.append(f"lines: tiles of {tile[0]} columns × {tile[1]} rows")
    if rows and len(rows[0]) < size[1]:
        tall, wide = -(-size[0] // len(rows)), -(-size[1] // len(rows[0]))
        each = f"a sign stands for up to {tall} × {wide} elements"
        parts.append(f"{part.name} is {size[0]} × {size[1]}: {each}")
    return "   ".join(parts)


def _reduced(rows: Sequence[str]) -> list[str]:
    """The map with at most MOST squares a side. A square that stands for several shows the worst of them."""
    if not rows or not rows[0]:
        return []
    tall, wide = _step(len(rows)), _step(len(rows[0]))
    return [
        "".join(_worst(rows[y : y + tall], x, wide) for x in range(0, len(rows[0]), wide))
        for y in range(0, len(rows), tall)
    ]


def _step(length: int) -> int:
    return -(-length // MOST)


def _worst(rows: Sequence[str], x: int, wide: int) -> str:
    return worst("".join(row[x : x + wide] for row in rows))


def _edges(shown: int, elements: int, tile: int) -> set[int]:
    """Squares before which a tile begins; none if lines would be too close to one another."""
    if tile < 1 or tile * shown < _FEWEST * elements:
        return set()
    first = [at * elements // shown for at in range(shown)]
    return {at for at in range(1, shown) if first[at] // tile != first[at - 1] // tile}


def _join(signs: Sequence[str], across: set[int], corner: str, between: str) -> str:
    parts = [signs[0]]
    for at in range(1, len(signs)):
        parts.append(f"{between}{corner}{between}" if at in across else between)
        parts.append(signs[at])
    return "".join(parts)
