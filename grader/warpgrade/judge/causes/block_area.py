"""The part of the result that a block covers by its launch shape, and blocks that write into another block's
part.

The emulator reports two blocks that write one element as a race. The element lies in the part of one block
only, so the other one's index is the mistake, which neither a barrier nor an atomic repairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...core import formatting
from ...course import arrays
from ...records import Case, Finding, Lab, LaunchShape, Place

SWAPPED, ELSEWHERE, BEHIND = "block-indices-swapped", "blocks-elsewhere", "behind-the-row"
_MATRIX = 2  # dimensions
_ALONG = ("column", "row")


@dataclass(frozen=True)
class ForeignPlace:
    cause: str
    title: str  # in place of the race's
    words: str


def foreign_place(
    finding: Finding, lab: Lab | None, case: Case | None, shape: LaunchShape | None
) -> ForeignPlace | None:
    """The element that two blocks write, if one of them writes it outside of its part of the result. None
    unless it is an element of a matrix that the launch covers.
    """
    memory, other = finding.memory, finding.other
    if lab is None or case is None or shape is None or memory is None or other is None:
        return None
    extents = arrays.covered(lab, case)
    if memory.allocation != lab.covers or memory.relation != "inside":
        return None
    if len(extents) != _MATRIX or len(shape.outputs) != _MATRIX or finding.place.block == other.block:
        return None
    element = memory.distance // (memory.allocation_bytes // math.prod(extents))
    row, column = divmod(element, extents[1])
    owner = (column // shape.outputs[0], row // shape.outputs[1])
    both = (finding.place, other)
    stranger = next((each for each in both if each.block[:_MATRIX] != owner), None)
    if stranger is None:
        return None
    is_swapped = all(_is_swapped(each, element, extents[1], shape) for each in both)
    if is_swapped and stranger.block[0] != stranger.block[1]:
        cause, words = SWAPPED, _of_swapped(stranger)
    elif words := _of_row_end(stranger, (column, row), extents[1], shape):
        cause = BEHIND
    else:
        cause, words = ELSEWHERE, _of_step(stranger, owner, (column, row), shape)
    across, down = (formatting.amount(side, what) for side, what in zip(shape.outputs, _ALONG, strict=True))
    steps = f"By {called(shape)}, each step of blockIdx.x is {across} and each step of blockIdx.y is {down}"
    title = (
        f"{formatting.thread_of_block(stranger.thread, stranger.block)} writes "
        f"{memory.words or 'an element'}, which is another block's, {formatting.index((*owner, 0))}"
    )
    return ForeignPlace(cause, title, f"{steps} of {lab.covers}: {words}") if words else None


def _of_swapped(stranger: Place) -> str:
    return (
        f"block {formatting.index(stranger.block)} writes here as if its rows came from blockIdx.x and its "
        "columns from blockIdx.y. Swap the two where the index of the store is computed."
    )


def _of_row_end(stranger: Place, at: tuple[int, int], width: int, shape: LaunchShape) -> str:
    """Advice if the element is one of the block's own columns of the row before, behind that row's end."""
    own = (at[0] + width, at[1] - 1)
    for axis, (at_axis, side) in enumerate(zip(own, shape.outputs, strict=True)):
        if at_axis // side != stranger.block[axis] or not _is_of(at_axis % side, stranger, shape, axis):
            return ""
    return (
        f"block {formatting.index(stranger.block)} has column {own[0]:,} of row {own[1]:,}, and a row ends "
        f"with column {width - 1:,}: what is stored behind it lands in the next row. Store only where the "
        "column exists; where a thread has several, check each of them."
    )


def _of_step(stranger: Place, owner: tuple[int, int], at: tuple[int, int], shape: LaunchShape) -> str:
    """Advice if a block reaches another block's rows or columns. "" if it reaches both, as it would with a
    wrong length of the rows.
    """
    wrong = [axis for axis in range(_MATRIX) if stranger.block[axis] != owner[axis]]
    if len(wrong) != 1:
        return ""
    (axis,) = wrong
    (across, down), threads = shape.outputs, shape.threads_per_block
    if threads == across * down == shape.threads[0] and min(across, down) > 1:
        return (
            f"the {threads:,} threads of a block are numbered in one row. Thread t has row t / {across} and "
            f"column t % {across} of the block's part: look at what threadIdx.x is divided by."
        )
    begin, what = stranger.block[axis] * shape.outputs[axis], _ALONG[axis]
    return (
        f"block {formatting.index(stranger.block)} has {what}s from {begin:,} on, and writes {what} "
        f"{at[axis]:,}. Look at what blockIdx.{'xy'[axis]} is multiplied by, and how far a thread goes."
    )


def _is_swapped(place: Place, element: int, width: int, shape: LaunchShape) -> bool:
    """Whether the thread would cover the element if its block's two numbers were exchanged; the element may
    lie behind the end of a row.
    """
    (x, y), (across, down) = place.block[:_MATRIX], shape.outputs
    for row in range(down):
        column = element - (x * down + row) * width - y * across
        owned = (_is_of(column, place, shape, 0), _is_of(row, place, shape, 1))
        if 0 <= column < across and all(owned):
            return True
    return False


def _is_of(at: int, place: Place, shape: LaunchShape, axis: int) -> bool:
    """Whether a row or column of the block belongs to the thread: at a constant distance from one another, or
    side by side.
    """
    threads, thread = shape.threads[axis], place.thread[axis]
    return thread in (at % threads, at * threads // shape.outputs[axis])


def called(shape: LaunchShape) -> str:
    """The macro and the numbers that the student wrote."""
    suffix = {1: "_1D", 3: "_3D"}.get(len(shape.threads), "")
    return f"LAUNCH_SHAPE{suffix}({', '.join(map(str, (*shape.threads, *shape.outputs)))})"
