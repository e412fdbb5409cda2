"""A block that writes an element which another one covers by the launch shape."""

from __future__ import annotations

from dataclasses import replace

from support import sample_results
from warpgrade.judge.causes import block_area
from warpgrade.records import Case, Finding, LaunchShape, Memory, Place, Visibility

LAB = sample_results.lab()
CASE = Case("c", ("m", "n", "k"), (96, 64, 10), "integers", 1.0, Visibility.VISIBLE)
SHAPE = LaunchShape((32, 8), (32, 32))


def foreign(
    row: int,
    column: int,
    writers: list[tuple[tuple[int, int], tuple[int, int]]],
    case: Case = CASE,
    shape: LaunchShape = SHAPE,
) -> block_area.ForeignPlace | None:
    """`writers`: block and thread of each of the two."""
    rows, width = case.size[:2]
    at = 4 * (row * width + column)
    memory = Memory("global", "0x0", 4, "C", 4 * rows * width, at, "inside", words="C[…]")
    one, other = (
        Place("kernel.cu", 9, block=(*block, 0), thread=(*thread, 0), access="write")
        for block, thread in writers
    )
    found = Finding("c", "race", "global-race", "WG114", "error", "m", one, other=other, memory=memory)
    return block_area.foreign_place(found, LAB, case, shape)


def test_blocks_whose_numbers_are_exchanged_where_they_store() -> None:
    # Block (0, 2) takes rows 0 to 31 and columns 64 to 95, and a row has 64: column 64 of row 7 is C[8][0].
    found = foreign(8, 0, [((0, 2), (0, 7)), ((0, 0), (0, 0))])
    assert found and found.cause == "block-indices-swapped" and "rows came from blockIdx.x" in found.words
    assert "each step of blockIdx.y is 32 rows of C: block (0,2,0) writes here" in found.words
    assert "block (0,2,0)" in found.title and "another block's, (0,0,0)" in found.title


def test_blocks_that_go_on_by_less_than_they_compute() -> None:
    found = foreign(8, 3, [((0, 1), (3, 0)), ((0, 0), (3, 0))])
    assert found and found.cause == "blocks-elsewhere"
    assert "has rows from 32 on, and writes row 8. Look at what blockIdx.y is multiplied by" in found.words


def test_columns_behind_the_end_of_a_row() -> None:
    narrow = replace(CASE, size=(96, 40, 10))
    found = foreign(9, 0, [((1, 0), (8, 0)), ((0, 0), (0, 1))], narrow)
    assert found and found.cause == block_area.BEHIND
    assert "block (1,0,0) has column 40 of row 8, and a row ends with column 39" in found.words
    another_s = foreign(9, 0, [((1, 0), (9, 0)), ((0, 0), (0, 1))], narrow)
    assert another_s and another_s.cause == "blocks-elsewhere", "column 41 is the thread's"


def test_threads_that_are_numbered_in_one_row() -> None:
    in_one_row = LaunchShape((256, 1), (32, 8))
    found = foreign(8, 3, [((0, 0), (67, 0)), ((0, 1), (3, 0))], shape=in_one_row)
    assert found and "Thread t has row t / 32 and column t % 32 of the block's part" in found.words


def test_other_races() -> None:
    assert foreign(8, 3, [((0, 0), (3, 0)), ((0, 0), (3, 1))]) is None, "one block"
    assert foreign(8, 3, [((1, 1), (3, 0)), ((0, 0), (3, 0))]) is None, "as if a row had another width"
    race = Finding("c", "race", "global-race", "WG114", "error", "m", Place(), other=Place())
    assert block_area.foreign_place(race, LAB, CASE, SHAPE) is None
    assert block_area.foreign_place(replace(race, memory=Memory()), None, None, None) is None
