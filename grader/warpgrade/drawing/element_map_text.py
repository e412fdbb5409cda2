"""The wrong elements of C in a terminal: a small map with the blocks' tiles as a grid."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import Wrong

RIGHT, WRONG, UNWRITTEN = ".", "#", "?"
SIGNS = {RIGHT: "·", WRONG: "■", UNWRITTEN: "□"}
MOST = 16  # squares a side: a map leaves space for the text beside it
_FEWEST = 2  # squares between two lines of the grid


def drawn(wrong: Wrong, size: tuple[int, int], tile: tuple[int, int] | None) -> list[str]:
    """Lines of text, none if a map says nothing: all squares alike.

    `size` is (rows, columns) of C, `tile` (columns, rows) of C that one block computes.
    """
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


def legend(wrong: Wrong, size: tuple[int, int], tile: tuple[int, int] | None) -> str:
    """The meaning of the signs in this map."""
    rows = _reduced(wrong.map)
    used = {mark for row in rows for mark in row}
    words = {RIGHT: "right", WRONG: "wrong", UNWRITTEN: "never written"}
    parts = [f"{SIGNS[mark]} {words[mark]}" for mark in words if mark in used]
    if tile and rows and (_edges(len(rows[0]), size[1], tile[0]) or _edges(len(rows), size[0], tile[1])):
        parts.append(f"lines: tiles of {tile[0]} columns × {tile[1]} rows")
    if rows and len(rows[0]) < size[1]:
        tall, wide = -(-size[0] // len(rows)), -(-size[1] // len(rows[0]))
        parts.append(f"C is {size[0]} × {size[1]}: a sign stands for up to {tall} × {wide} elements")
    return "   ".join(parts)


def _reduced(rows: Sequence[str]) -> list[str]:
    """At most MOST squares a side. A square that stands for several shows the worst of them."""
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
    marks = {mark for row in rows for mark in row[x : x + wide]}
    return next((mark for mark in (WRONG, UNWRITTEN) if mark in marks), RIGHT)


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
