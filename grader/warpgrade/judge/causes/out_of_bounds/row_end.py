"""Advice on an access behind the end of a row: what lies there is the next row's beginning, so that it is
outside of the array only in the last row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ....records import LaunchShape, Place
from . import own_element

_MATRIX = 2  # dimensions


@dataclass(frozen=True)
class Reached:
    """An element that an access reaches, and its array."""

    name: str
    shape: tuple[int, ...]
    signs: tuple[str, ...]  # the lab's words for these extents
    index: int  # row-major; outside


def of_own_row(at: Reached, place: Place, signs: Sequence[str], shape: LaunchShape | None) -> str:
    """Advice where each row of the result has a row of this array, and a thread goes on behind the end of its
    own; else "". `signs`: of the result that the launch covers.
    """
    own = own_element.of_thread(place, shape, _MATRIX)
    if own is None or shape is None or not len(signs) == len(at.signs) == _MATRIX:
        return ""
    if at.signs[0] != signs[0] or at.signs[1] in signs or own[0] >= at.shape[0]:
        return ""
    width = at.shape[1]
    column = at.index - own[0] * width
    if not width <= column < width + max(shape.threads):
        return ""
    return (
        f"This thread's row of {at.name} is {own[0]:,}, and it {_does(place)} column {column:,} of it, "
        f"which is not below {at.signs[1]} = {width:,}: check the column, too. Behind the end of a row "
        "the next one begins, which is wrong there, too."
    )


def of_several(at: Reached, shape: LaunchShape | None) -> str:
    """Advice where threads have several elements of the result that the launch covers, and one of them goes
    beyond it by fewer; else "".
    """
    if shape is None or shape.blocks is not None:
        return ""
    each = shape.outputs_per_block // shape.threads_per_block
    beyond = at.index - math.prod(at.shape) + 1
    if each < len(("one", "another")) or not 1 <= beyond <= each:
        return ""
    return (
        f"A thread has {each:,} elements of {at.name}, and this is {beyond:,} behind the last of all: check "
        "the row and the column of each by itself before you read or write it, not only those of the first."
    )


def _does(place: Place) -> str:
    return "reads" if place.access == "read" else "writes"
