"""What the cells of a map of wrong elements stand for, in an array of any rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..records import Wrong

RIGHT, WRONG, UNWRITTEN = ".", "#", "?"
SIGNS = {RIGHT: "·", WRONG: "■", UNWRITTEN: "□"}  # in a terminal
WORDS = {RIGHT: "right", WRONG: "wrong", UNWRITTEN: "never written"}


def worst(marks: str) -> str:
    """The sign of a cell that stands for several."""
    return next((mark for mark in (WRONG, UNWRITTEN) if mark in marks), RIGHT)


def is_vector(wrong: Wrong) -> bool:
    return len(wrong.cells_shape) == 1


@dataclass(frozen=True)
class Slice:
    """The rows and columns that a map shows: a matrix, or of an array of higher rank the slice with the first
    wrong element.
    """

    name: str  # "C", or "V[3]" for a slice
    rows: int
    columns: int
    first: tuple[int, int]  # row and column of the first wrong element
    tile: tuple[int, int] | None  # columns, rows of it that one block computes


def slice_of(wrong: Wrong, outputs: Sequence[int] | None) -> Slice:
    """`outputs`: the elements that one block computes, x first; None if no launch covers the array."""
    shape, index, rank = wrong.cells_shape, wrong.cells_index, len(wrong.cells_shape)
    down, across = wrong.axes or (rank - 2, rank - 1)
    outer = ("[·]" if axis in (down, across) else f"[{index[axis]}]" for axis in range(rank))
    name = wrong.array + ("".join(outer).removesuffix("[·][·]") if rank > 2 else "")
    tile = None
    if outputs:
        sides = (*outputs, *(1 for _ in range(rank)))  # x first: of the last dimension
        tile = (sides[rank - 1 - across], sides[rank - 1 - down])
    return Slice(name, shape[down], shape[across], (index[down], index[across]), tile)


@dataclass(frozen=True)
class Line:
    """The cells of a one-dimensional array, from its first element on."""

    name: str
    elements: int
    cells: str
    first: int  # index of the first wrong element
    block: int  # elements that one block computes; 0 if no launch covers the array
    parts: int  # cells of the harness's map
    step: int = 1  # of them, each of `cells` shows so many

    def reduced(self, most: int) -> Line:
        """The map with at most that many cells. A cell that stands for several shows the worst of them."""
        step = -(-self.parts // most)
        cells = "".join(worst(self.cells[at : at + step]) for at in range(0, self.parts, step))
        return replace(self, cells=cells, step=step)

    def start(self, cell: int) -> int:
        """The index of the first element that a cell stands for; the end, behind the last cell."""
        return -(-min(cell * self.step, self.parts) * self.elements // self.parts)

    def cell_of(self, element: int) -> int:
        return element * self.parts // self.elements // self.step

    @property
    def each(self) -> int:
        """The most elements that a cell stands for."""
        return max(self.start(at + 1) - self.start(at) for at in range(len(self.cells)))

    def block_starts(self, fewest: int) -> frozenset[int]:
        """Cells in which a block after the first one begins; none where blocks have fewer cells than that."""
        if self.block < 1 or self.block * self.parts < fewest * self.step * self.elements:
            return frozenset()
        return frozenset(self.cell_of(at) for at in range(self.block, self.elements, self.block))


def line_of(wrong: Wrong, outputs: Sequence[int] | None) -> Line:
    cells = "".join(wrong.map)
    block = outputs[0] if outputs else 0
    return Line(wrong.array, wrong.cells_shape[0], cells, wrong.cells_index[0], block, len(cells))
