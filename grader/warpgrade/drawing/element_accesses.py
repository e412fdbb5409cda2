"""Drawing of the elements of an array in global memory that a warp accesses in one step, with their sectors.

An array of any rank is drawn as rows of its last dimension. A one-dimensional array is one row, or rows of
`_WRAPPED` elements if the lanes are too far apart for that.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from ..core import formatting
from ..core.messages import Messages
from ..run import trace
from ..run.trace import Access, GlobalArray, Recording
from ..tables.hardware import SECTOR
from .figure import Table, figure, head, rectangle, short, text_at

_MANY_ROWS = 16  # from which on they are drawn lower
_TALLEST, _WIDEST = 40, 64  # rows and columns that can be read in a picture
_WRAPPED = 32  # elements


def can_be_drawn(made: Recording, access: Access) -> bool:
    """Whether the access touches a known array, and only a part of it that fits into a picture."""
    array = made.touched(access)
    if array is None:
        return False
    shown = _shown(array, access)
    return len(shown.rows) <= _TALLEST and len(shown.columns) <= _WIDEST


def elements(words: Messages, made: Recording, access: Access, id: str) -> Markup:
    """The elements of an array that the lanes of a warp access, with their sectors."""
    array = made.touched(access)
    if array is None:
        raise ValueError("the figure needs an access to an array of the case")
    shown = _shown(array, access)
    used = array.element * len(shown.lanes_of)
    count, ideal = len(shown.sectors), -(-used // SECTOR)
    values = {"array": array.name, "lanes": len(access.lanes), "elements": len(shown.lanes_of)}
    title = words(f"figure.elements.{access.kind.replace(' ', '-')}", **values)
    desc = words("figure.elements.desc", count=count, bytes=SECTOR * count, ideal=ideal, used=used)
    columns = ("elements", "lanes") if len(array.shape) == 1 else ("row", "columns", "lanes")
    table = Table(
        words("figure.elements.table", array=array.name),
        head(words, "elements", *columns),
        tuple(shown.table_rows()),
    )
    return figure(words, id, shown.size, title, desc, shown.drawn(), table)


def _shown(array: GlobalArray, access: Access) -> _AccessedElements:
    lanes_of: dict[int, list[int]] = {}
    for lane, address in access.lanes.items():
        first = (address - array.address) // array.element
        for at in range(max(1, access.bytes // array.element)):
            lanes_of.setdefault(first + at, []).append(lane)
    width = array.shape[-1]
    if len(array.shape) == 1 and max(lanes_of) - min(lanes_of) >= _WIDEST:
        width = _WRAPPED
    return _AccessedElements(array, width, lanes_of)


@dataclass(frozen=True)
class _AccessedElements:
    """The part of an array around the accessed elements; columns are whole sectors where rows allow.

    `lanes_of`: the lanes that access an element, by its index in row-major order.
    """

    array: GlobalArray
    width: int  # elements of a row
    lanes_of: dict[int, list[int]]

    @property
    def rows(self) -> range:
        rows = [index // self.width for index in self.lanes_of]
        return range(min(rows), max(rows) + 1)

    @property
    def columns(self) -> range:
        columns = [index % self.width for index in self.lanes_of]
        whole = max(1, SECTOR // self.array.element)
        first = min(columns) // whole * whole
        return range(first, min(self.width, -(-(max(columns) + 1) // whole) * whole))

    @functools.cached_property
    def sectors(self) -> frozenset[int]:
        """Numbers of the sectors that hold an accessed byte."""
        return frozenset().union(*map(self._sectors_of, self.lanes_of))

    def _sectors_of(self, index: int) -> frozenset[int]:
        first = self.array.address + self.array.element * index
        return trace.sectors((first, first + self.array.element - 1))

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height: wide enough for the longest list of lanes, and no wider where there are many."""
        listed = [(formatting.span(lanes), len(lanes) > 1) for lanes in self.lanes_of.values()]
        wide = [7.0 * len(text) + (8 if several else 4) for text, several in listed]
        high = 20.0 if len(self.rows) <= _MANY_ROWS else 14.0
        return max([min(36.0, 600 / len(self.columns)), *wide]), high

    @property
    def _left(self) -> float:
        """Space for the rows' labels."""
        return 36.0 + 6 * max(0, max(len(self._row_label(row)) for row in self.rows) - 3)

    @property
    def size(self) -> tuple[float, float]:
        return self._left + 8 + len(self.columns) * self.cell[0], 34 + len(self.rows) * self.cell[1]

    @property
    def name(self) -> str:
        """A[0…1][0…15]; the indices of a one-dimensional array are one range."""
        if len(self.array.shape) == 1:
            return f"{self.array.name}[{_ends(min(self._all_shown), max(self._all_shown))}]"
        first, last = self._outer(self.rows[0]), self._outer(self.rows[-1])
        outer = "".join(f"[{_ends(*ends)}]" for ends in self._outer_ends(first, last))
        return f"{self.array.name}{outer}[{_ends(self.columns[0], self.columns[-1])}]"

    @property
    def _all_shown(self) -> list[int]:
        indices = (row * self.width + column for row in self.rows for column in self.columns)
        return [index for index in indices if index < math.prod(self.array.shape)]

    def _outer(self, row: int) -> tuple[int, ...]:
        """The indices of a row in all dimensions but the last."""
        indices: list[int] = []
        for extent in reversed(self.array.shape[:-1]):
            row, at = divmod(row, extent)
            indices.insert(0, at)
        return tuple(indices)

    def _outer_ends(self, first: tuple[int, ...], last: tuple[int, ...]) -> Iterable[tuple[int, int]]:
        """First and last index of the rows in each dimension; all of them behind one that differs."""
        differs = False
        for low, high, extent in zip(first, last, self.array.shape, strict=False):
            yield (0, extent - 1) if differs else (low, high)
            differs = differs or low != high

    def _row_label(self, row: int) -> str:
        if len(self.array.shape) == 1:
            return str(row * self.width) if self.width != self.array.shape[0] else ""
        return ", ".join(map(str, self._outer(row)))

    def drawn(self) -> Iterable[Markup]:
        wide, high = self.cell
        left, top = self._left, 26.0
        touched = self.sectors
        yield Markup('<text class="name" x="{}" y="{}" text-anchor="start">{}</text>').format(
            short(left), short(top - 8), self.name
        )
        for y, row in enumerate(self.rows):
            yield text_at(left - 6, top + (y + 0.7) * high, self._row_label(row), "end")
            for x, column in enumerate(self.columns):
                index = row * self.width + column
                yield from self._cell(index, left + x * wide, top + y * high)
        for y, row in enumerate(self.rows):
            indices = ((x, row * self.width + column) for x, column in enumerate(self.columns))
            for sectors, group in itertools.groupby(indices, key=lambda pair: self._sectors_of(pair[1])):
                if sectors <= touched:
                    found = [x for x, _ in group]
                    yield rectangle(left + found[0] * wide, top + y * high, len(found) * wide, high, "sector")

    def _cell(self, index: int, x: float, y: float) -> Iterable[Markup]:
        wide, high = self.cell
        if index in self.lanes_of:
            yield rectangle(x, y, wide, high, "left")
            yield text_at(x + wide / 2, y + 0.7 * high, formatting.span(self.lanes_of[index]))
        elif index < math.prod(self.array.shape):
            yield rectangle(
                x, y, wide, high, "fetched" if self._sectors_of(index) & self.sectors else "element"
            )

    def table_rows(self) -> Iterable[tuple[str, ...]]:
        """One row of the table for each row of the drawing."""
        for row, group in itertools.groupby(sorted(self.lanes_of), key=lambda index: index // self.width):
            found = list(group)
            lanes = formatting.span(sorted({lane for index in found for lane in self.lanes_of[index]}))
            if len(self.array.shape) == 1:
                yield formatting.span(found), lanes
            else:
                columns = formatting.span([index % self.width for index in found])
                yield ", ".join(map(str, self._outer(row))), columns, lanes


def _ends(first: int, last: int) -> str:
    return f"{first}…{last}" if last > first else str(first)
