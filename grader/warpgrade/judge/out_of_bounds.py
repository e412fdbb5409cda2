"""Advice about an access outside an array: from the thread that made it, and from the distance.

The emulator knows bytes and threads; the lab knows the shapes of its arrays. Together they distinguish a
missing bound on rows from a `<=` and from a last tile that reaches too far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..core.hardware import FLOAT
from ..course import arrays
from ..records import Case, Finding, Lab, LaunchShape, Memory
from .wrong_answer import called

_CODES = ("WG101", "WG102")
_SHARED_WRITES = "WG111"


_AXES = ("column", "row", "plane")  # of an index, the fastest dimension first


@dataclass(frozen=True)
class _ArrayParameter:
    """An array of the kernel. `signs`: the lab's words for its extents, in the order of `shape`."""

    name: str
    shape: tuple[int, ...]
    signs: tuple[str, ...]
    element: int  # bytes

    @property
    def size(self) -> str:
        extents, signs = " × ".join(map(str, self.shape)), " × ".join(self.signs)
        return f"{self.name} has {extents} elements ({signs})"


def advised(finding: Finding, lab: Lab, case: Case, shape: LaunchShape | None, text: str = "") -> Finding:
    """The finding with advice that fits it; unchanged where nothing more is known. `text`: the kernel's
    source.
    """
    memory = finding.memory
    if finding.code == _SHARED_WRITES and memory is not None and memory.space == "shared":
        return replace(finding, help=_crowded(memory, shape) or finding.help)
    if finding.code not in _CODES or memory is None or memory.relation not in ("before", "after"):
        return finding
    if memory.space == "shared":
        return replace(finding, help=_in_shared(memory, shape, text))
    array = _array(memory, lab, case)
    if array is None:
        return finding
    words = _by_thread(finding, array, lab, case, shape)
    if not words:
        words = _by_distance(memory.distance, array, _is_whole(lab, case, shape), text)
    return replace(finding, help=words)


def _array(memory: Memory, lab: Lab, case: Case) -> _ArrayParameter | None:
    shape = arrays.shapes(lab, case).get(memory.allocation)
    if shape is None:
        return None
    count = math.prod(shape)
    element = memory.allocation_bytes // count if count and memory.allocation_bytes % count == 0 else FLOAT
    return _ArrayParameter(memory.allocation, shape, _signs(lab, memory.allocation), element)


def _signs(lab: Lab, name: str) -> tuple[str, ...]:
    return next((array.extents for array in lab.arrays if array.name == name), ())


def _by_thread(
    finding: Finding, array: _ArrayParameter, lab: Lab, case: Case, shape: LaunchShape | None
) -> str:
    """Advice for a kernel in which each thread computes one element, if this thread's lies outside the array
    that the blocks cover; else "".
    """
    place = finding.place
    signs, extents = _signs(lab, lab.covers)[::-1], arrays.covered(lab, case)[::-1]
    count = min(len(extents), len(_AXES))
    if shape is None or shape.threads != shape.outputs or not count:
        return ""
    if min(len(place.block), len(place.thread), len(shape.threads)) < count:
        return ""
    outside = []
    for axis in reversed(range(count)):
        at = place.block[axis] * shape.threads[axis] + place.thread[axis]
        if at >= extents[axis] and signs[axis] in array.signs:
            name = _AXES[axis] if count > 1 else "index"
            outside.append(f"{name} {at} is not below {signs[axis]} = {extents[axis]}")
    if not outside:
        return ""
    what = "must not read there"
    if array.name == lab.covers:
        what = "must not write"
    elif set(array.signs) != set(signs):  # elements are combined: one that does not exist adds nothing
        what += ", and counts as 0"
    return f"This thread stands outside {lab.covers}, as its {' and its '.join(outside)}: it {what}."


def _in_shared(memory: Memory, shape: LaunchShape | None, text: str) -> str:
    """Advice for a shared array, whose size does not depend on the lab's arrays."""
    return _crowded(memory, shape) or (
        f"{_room(memory)}: keep each index below its dimension{_too_far(text)}."
    )


def _room(memory: Memory) -> str:
    name = memory.allocation.removeprefix("shared array ")
    return f"{name} has room for {memory.allocation_bytes // FLOAT:,} floats"


def _crowded(memory: Memory, shape: LaunchShape | None) -> str:
    """Advice where a block has more threads than its array has elements; else ""."""
    if shape is None or memory.allocation_bytes // FLOAT >= shape.threads_per_block:
        return ""
    return (
        f"{_room(memory)}, and {called(shape)} gives a block {shape.threads_per_block:,} threads: if each "
        "has an element of its own, make the tile and the launch shape go together."
    )


def _too_far(text: str) -> str:
    """A <= is blamed only where the source contains one."""
    return ", and where a loop or a bound says <=, let it say <" if "<=" in text else ""


def _is_whole(lab: Lab, case: Case, shape: LaunchShape | None) -> bool:
    """Whether no tile reaches over a border, so that no bound is missing."""
    extents = arrays.covered(lab, case)[::-1]
    if shape is None or not extents:
        return False
    signs = _signs(lab, lab.covers)
    others = [value for name, value in case.parameters.items() if name not in signs]
    of_tiles = zip(extents, shape.outputs, strict=False)
    return all(
        extent % side == 0 for extent, side in (*of_tiles, *((value, shape.outputs[0]) for value in others))
    )


def _by_distance(distance: int, array: _ArrayParameter, is_whole: bool, text: str) -> str:
    name, size, width = array.name, array.size, array.shape[-1]
    if distance < 0:
        return f"The index into {name} is negative: look at what is subtracted, and bound it below by 0."
    beyond = distance // array.element  # 0: the first element behind the last
    if beyond == 0 and "<=" in text:
        return (
            f"{size}, and this is the first one behind its last: where a loop or a bound says <=, "
            "it should say <."
        )
    last = f"{size}, and this is {beyond + 1:,} behind its last"
    if len(array.shape) == 1:
        if beyond == 0 or is_whole:
            return f"{last}: look at how far each loop runs{_too_far(text)}."
        return (
            f"{last}: bound the index by {array.signs[0]} before you read or write, also in the last block."
        )
    if beyond == 0 or is_whole:
        return (
            f"{last}: look at how far each loop runs{_too_far(text)}, and at the width of a row in the "
            f"index, which is {array.signs[-1]} for {name}."
        )
    if beyond < width - 1:
        return (
            f"{size}, and this is {beyond + 1} behind the end of its last row: bound the column by "
            f"{array.signs[-1]} before you read or write, also in the last, partial tile."
        )
    rows = (beyond + 1) // width
    far = "a row" if rows == 1 else f"{rows} rows"
    return f"{size}, and this is {far} too far: bound the row by {array.signs[-2]} before you read or write."
