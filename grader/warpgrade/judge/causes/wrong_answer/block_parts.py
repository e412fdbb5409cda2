"""Elements of an input that lie beside the part of the result which one block computes."""

from __future__ import annotations

from ....records import ElementInfluences, InputInfluence, LaunchShape, Wrong
from . import index_sets
from .index_sets import Ranges

CAUSE = "beside-the-block"


def is_beside(
    wrong: Wrong, shape: LaunchShape | None, element: ElementInfluences, each: InputInfluence
) -> bool:
    """Whether the kernel uses what has the indices of the block's own elements, and leaves out what is needed
    beside them.
    """
    if shape is None or shape.blocks is not None or len(each.shape) != len(wrong.shape):
        return False
    is_left_out = False
    for axis, (needs, uses) in enumerate(zip(each.needs, each.uses, strict=True)):
        own = _own(wrong, shape, element, axis)
        missing = index_sets.without(needs, uses)
        if index_sets.without(uses, own) or index_sets.without(missing, own) != missing:
            return False
        is_left_out = is_left_out or bool(missing)
    return is_left_out


def _own(wrong: Wrong, shape: LaunchShape, element: ElementInfluences, axis: int) -> Ranges:
    """The indices of the block's elements. Axis x of a launch is the last dimension."""
    back = len(wrong.shape) - 1 - axis
    if back >= len(shape.outputs):
        return ((0, wrong.shape[axis] - 1),)
    first = element.index[axis] // shape.outputs[back] * shape.outputs[back]
    return ((first, first + shape.outputs[back] - 1),)


def words(shape: LaunchShape, name: str) -> str:
    size = " × ".join(map(str, shape.outputs))
    return (
        f" They lie beside the {size} elements that the block computes: load those around its own, too "
        f"(a halo), or read them from {name}"
    )
