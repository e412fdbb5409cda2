"""What the cells of a map stand for."""

from warpgrade.drawing import element_cells
from warpgrade.records import Wrong

VOLUME = Wrong(2, 24, "V", (2, 3, 4), (1, 2, 3), 1.0, 2.0, map=("....", "....", "...#"))


def vector(count: int, cells: str, first: int = 0) -> Wrong:
    return Wrong(1, count, "y", (count,), (first,), 1.0, 2.0, map=(cells,))


def test_the_slice_of_the_first_wrong_element() -> None:
    part = element_cells.slice_of(VOLUME, (8, 4, 2))
    assert (part.name, part.rows, part.columns, part.first, part.tile) == ("V[1]", 3, 4, (2, 3), (8, 4))
    assert element_cells.slice_of(VOLUME, None).tile is None


def test_cells_of_a_vector_in_elements() -> None:
    line = element_cells.line_of(vector(997, "." * 996 + "#", 996), (256,)).reduced(250)
    assert line.cells == "." * 249 + "#" and line.each == 4
    assert [line.start(at) for at in (0, 1, 240, 250)] == [0, 4, 960, 997]
    assert line.cell_of(996) == 249
    assert sorted(line.block_starts(2)) == [64, 128, 192]


def test_blocks_of_less_than_a_few_cells_are_not_marked() -> None:
    line = element_cells.line_of(vector(4096, "." * 1024), (4,))
    assert line.block_starts(2) == frozenset()
    assert element_cells.line_of(vector(8, "." * 8), None).block_starts(2) == frozenset()
