"""Explains an access outside an array by the element that its thread computes: the access is to a neighbour
that does not exist, or to the same indices in another order.

Only for a kernel in which each thread computes one element of an array of as many dimensions as its launch.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from ....core import formatting
from ....records import LaunchShape, Place
from ..places import linear_index

_AXES = ("plane", "row", "column")
_FLAT = 2  # dimensions from which on an index is made of several
# Steps in each dimension within which an element is a neighbour, by the number of dimensions: masks of images
# are up to 15 wide, those in space narrow.
_NEAR = {2: 7, 3: 2}


@dataclass(frozen=True)
class ExplainedPlace:
    words: str  # of the place: "image[−2][0], row −2 of image, which has rows 0 to 31"
    help: str


def of_thread(place: Place, shape: LaunchShape | None, rank: int) -> tuple[int, ...] | None:
    """The indices of the element that is the thread's own, the slowest first."""
    if shape is None or shape.threads != shape.outputs or len(shape.threads) != rank:
        return None
    if min(len(place.block), len(place.thread)) < rank:
        return None
    own = (place.block[axis] * shape.threads[axis] + place.thread[axis] for axis in range(rank))
    return tuple(own)[::-1]


def explained(
    place: Place, name: str, extents: Sequence[int], index: int, own: Sequence[int] | None
) -> ExplainedPlace | None:
    """What the element `index` of an array is to the thread whose own element lies at `own`; None where that
    is not known. `index`: row-major, and outside the array.
    """
    if own is None or len(own) < _FLAT or any(at >= extent for at, extent in zip(own, extents, strict=True)):
        return None
    if place.access == "write" and (found := _exchanged(name, extents, index, own, 0)):
        return found
    near = _NEAR.get(len(own), 0)
    return _neighbour(place, name, extents, index, own) or _exchanged(name, extents, index, own, near)


def _exchanged(
    name: str, extents: Sequence[int], index: int, own: Sequence[int], near: int
) -> ExplainedPlace | None:
    """The place of the thread's own element with two of its indices exchanged, or near it."""
    axes = _AXES[-len(own) :]
    for one, other in itertools.combinations(range(len(own)), 2):
        at = list(own)
        at[one], at[other] = at[other], at[one]
        steps = _steps(index - linear_index(at, extents), extents)
        if own[one] != own[other] and max(map(abs, steps)) <= near:
            there = [i + step for i, step in zip(at, steps, strict=True)]
            beside = f"lies beside {_element(name, at)}," if any(steps) else "is"
            return ExplainedPlace(
                _place(name, extents, there),
                f"This thread's element is {_element(name, own)}, and {_element(name, there)} {beside} "
                f"the same with {axes[one]} and {axes[other]} exchanged: look at the order "
                "of the indices.",
            )
    return None


def _neighbour(
    place: Place, name: str, extents: Sequence[int], index: int, own: Sequence[int]
) -> ExplainedPlace | None:
    """A place few rows, columns and planes from the thread's own element."""
    steps = _steps(index - linear_index(own, extents), extents)
    at = [i + step for i, step in zip(own, steps, strict=True)]
    outside = [axis for axis, i in enumerate(at) if not 0 <= i < extents[axis]]
    if not outside or max(map(abs, steps)) > _NEAR.get(len(own), 0):
        return None
    names = _AXES[-len(own) :]
    which = " and ".join(f"the {names[axis]}" for axis in outside) + (" each" if len(outside) > 1 else "")
    where = " and ".join(_side(names[axis], at[axis], extents[axis]) for axis in outside)
    verb = "writes" if place.access == "write" else "reads"
    return ExplainedPlace(
        _place(name, extents, at),
        f"This thread's element is {_element(name, own)}, and it {verb} {_element(name, at)}: {where}. Limit "
        f"{which} by itself before the indices become one number, which does not say where a row begins and "
        "ends.",
    )


def _steps(distance: int, extents: Sequence[int]) -> list[int]:
    """A distance in elements as one in each dimension, the least but for the slowest."""
    found: list[int] = []
    for extent in reversed(extents[1:]):
        step = (distance + extent // 2) % extent - extent // 2
        found.append(step)
        distance = (distance - step) // extent
    return [distance, *reversed(found)]


def _side(axis: str, at: int, extent: int) -> str:
    if at < 0:
        return f"{formatting.amount(-at, axis)} before the first"
    return f"{formatting.amount(at - extent + 1, axis)} behind the last"


def _element(name: str, at: Sequence[int]) -> str:
    return name + "".join(f"[{i}]" for i in at).replace("-", "−")


def _place(name: str, extents: Sequence[int], at: Sequence[int]) -> str:
    axis = next((axis for axis, i in enumerate(at) if not 0 <= i < extents[axis]), 0)
    word, number = _AXES[-len(at) :][axis], formatting.count(at[axis]).replace("-", "−")
    return f"{_element(name, at)}, {word} {number} of {name}, which has {word}s 0 to {extents[axis] - 1:,}"
