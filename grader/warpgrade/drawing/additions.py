"""A figure of additions in steps: what each place takes from which other place, as in a scan or a tree."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from markupsafe import Markup

from ..core.messages import Messages
from .figure import Matrix, Table, figure, path, short, text_at

Step = Sequence[tuple[int, int]]  # pairs (from, to): the number at `to` becomes the sum of both
_CELL, _GAP, _TOP, _LEFT = 34.0, 30.0, 8.0, 6.0


def additions(words: Messages, *, numbers: Sequence[int], steps: Sequence[Step], id: str) -> Markup:
    """Rows of numbers, one for each step, with an arrow for each addition to the row below.

    All additions of a step read what the step before has left.
    """
    rows = states(numbers, steps)
    drawn = [_row(at, row, steps[at - 1] if at else ()) for at, row in enumerate(rows)]
    drawn += [_arrow(at, *pair) for at, step in enumerate(steps) for pair in step]
    count = sum(len(step) for step in steps)
    title = words("figure.additions.title", count=len(steps), numbers=len(numbers))
    desc = words("figure.additions.desc", additions=count)
    heads = (words("figure.additions.head.step"), *(str(place) for place in range(len(numbers))))
    table = Table(
        words("figure.additions.table"),
        heads,
        tuple((str(at), *(str(number) for number in row)) for at, row in enumerate(rows)),
    )
    size = (2 * _LEFT + len(numbers) * _CELL, _y(len(rows) - 1) + _CELL + _TOP)
    return figure(words, id, size, title, desc, drawn, table)


def states(numbers: Sequence[int], steps: Sequence[Step]) -> list[list[int]]:
    """The numbers before the first step and after each."""

    def after(before: list[int], step: Step) -> list[int]:
        added = dict.fromkeys(range(len(before)), 0)
        for source, target in step:
            added[target] += before[source]
        return [number + added[place] for place, number in enumerate(before)]

    found = [list(numbers)]
    return functools.reduce(lambda rows, step: [*rows, after(rows[-1], step)], steps, found)


def _y(row: int) -> float:
    return _TOP + row * (_CELL + _GAP)


def _row(at: int, row: Sequence[int], step: Step) -> Markup:
    """The numbers after a step; those that it changed stand out."""
    squares = Matrix("", _LEFT, _y(at), len(row), 1, _CELL)
    changed = {target for _, target in step}
    cells = [
        squares.block(place, 0, 1, 1, "result" if place in changed else "lane")
        + text_at(_LEFT + (place + 0.5) * _CELL, _y(at) + _CELL / 2 + 4, str(number))
        for place, number in enumerate(row)
    ]
    return Markup("").join(cells)


def _arrow(row: int, source: int, target: int) -> Markup:
    """From the lower side of a square to the upper side of one in the row below, with its head."""
    x, y = _LEFT + (source + 0.5) * _CELL, _y(row) + _CELL
    to_x, to_y = _LEFT + (target + 0.5) * _CELL, _y(row + 1) - 1
    line = f"M{short(x)} {short(y)}L{short(to_x)} {short(to_y)}"
    head = f"M{short(to_x - 4)} {short(to_y - 6)}L{short(to_x)} {short(to_y)}l4 -6"
    return path("addition", line + head)
