"""Advice about an access outside an array: from the thread that made it, and from the distance.

The emulator knows bytes and threads; the lab knows the shapes of its arrays. Together they distinguish a
missing bound on rows from a `<=` and from a last tile that reaches too far.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from ....core import formatting
from ....course import arrays
from ....records import Case, Finding, Lab, LaunchShape, Memory
from ....tables.hardware import FLOAT
from .. import places, short_step, tickets
from . import guards, outside_shared, own_element, row_end, row_width

_CODES = ("WG101", "WG102", "WG108")
_SHARED_WRITES = "WG111"

_MATRIX = 2  # dimensions
_AXES = ("column", "row", "plane")  # of an index, the fastest dimension first


@dataclass(frozen=True)
class _ArrayParameter:
    """An array of the kernel. `signs`: the lab's words for its extents, in the order of `shape`; none where
    lab.toml does not declare arrays.
    """

    name: str
    shape: tuple[int, ...]
    signs: tuple[str, ...]
    element: int  # bytes
    vector: int = 1  # elements that one access takes, where that is what `element` and `shape` count

    @property
    def size(self) -> str:
        extents, signs = " × ".join(map(str, self.shape)), " × ".join(self.signs)
        detail = f" ({signs})" if signs != extents else ""
        if self.vector > 1:
            each = self.element // self.vector
            return f"{self.name} has {extents} groups of {self.vector} elements of {each} bytes"
        elements = "1 element" if extents == "1" else f"{extents} elements"
        size = formatting.amount(self.element, "byte")
        return f"{self.name} has {elements}" + (detail if signs else f" of {size}")

    @property
    def is_of_structs(self) -> bool:
        """Whether the last dimension is one that lab.toml states as a number: the parts of a struct."""
        return len(self.signs) > 1 and self.signs[-1].isdecimal()

    @property
    def bound(self) -> str:
        """What an index into the first dimension must be below."""
        return self.signs[0] if self.signs else formatting.count(self.shape[0])


def advised(finding: Finding, lab: Lab, case: Case, shape: LaunchShape | None, text: str = "") -> Finding:
    """The finding with advice that fits it; unchanged where nothing more is known. `text`: the kernel's
    source.
    """
    memory, whole = finding.memory, text
    if finding.cause == short_step.CAUSE:
        return finding
    text = guards.conditions(text, finding.place)
    if finding.code == _SHARED_WRITES and memory is not None and memory.space == "shared":
        crowded = "" if finding.cause else outside_shared.crowded(memory, shape)
        return replace(finding, help=crowded or finding.help)
    if finding.code not in _CODES or memory is None or memory.relation not in ("before", "after"):
        return finding
    if memory.space == "shared":
        return _in_shared(finding, memory, shape, text, whole)
    if words := _of_group(memory, places.array_type(memory, whole, lab, case)):
        return replace(finding, cause="group-reaches-out", help=words)
    array = _array(memory, lab, case, text)
    if array is None:
        return finding
    if words := tickets.advice(array.name, _index(memory, array), array.shape[0], whole):
        return replace(finding, cause=tickets.CAUSE, help=words)
    if words := _by_block(finding, array, lab, case, shape):
        return replace(finding, cause="block-indices-swapped", help=words)
    if words := row_width.advice(finding.place.source, whole, array.name, array.size, array.signs, case):
        return replace(finding, cause="outside-the-array", help=words)
    if own := _by_own(finding, array, lab, shape):
        message = finding.message.replace(memory.words, own.words, 1) if memory.words else finding.message
        named = replace(memory, words=own.words if memory.words else memory.words)
        return replace(finding, cause="outside-the-array", help=own.help, message=message, memory=named)
    if words := _just_before(memory, array):
        return replace(finding, cause="outside-the-array", help=words)
    if memory.pointer or memory.distance < 0:
        return replace(finding, cause="index-overflow", help=_wrapped(memory, array, finding.place.source))
    if words := _by_thread(finding, array, lab, case, shape, whole):
        cause = "outside-the-result" if array.name == lab.covers else "outside-the-array"
        return replace(finding, cause=cause, help=words)
    words = _by_number(finding, array, shape, case, text) or _by_row(finding, array, lab, shape, text)
    words = words or _by_distance(memory.distance, array, _is_whole(lab, case, shape), text)
    return replace(finding, cause="outside-the-array", help=words)


def _in_shared(finding: Finding, memory: Memory, shape: LaunchShape | None, text: str, whole: str) -> Finding:
    """The finding with advice on an access outside a shared array. `text`: the conditions of the access."""
    place = finding.place
    if words := outside_shared.of_grid(place, memory, whole):
        return replace(finding, cause="index-of-the-grid", help=words)
    if memory.relation == "before":
        cause, words = outside_shared.before(memory, whole)
        return replace(finding, cause=cause, help=words)
    own = outside_shared.of_own_number(place, memory, shape)
    if own and not outside_shared.crowded(memory, shape):
        return replace(finding, cause="own-number", help=own)
    if words := outside_shared.beyond_row(place, memory, shape, whole):
        return replace(finding, cause="beyond-the-row", help=words)
    return replace(finding, help=outside_shared.behind(memory, shape, text, whole, place))


def by_pointer(finding: Finding) -> Finding:
    """The finding with the array whose pointer was used, where the address lies nearer to another array."""
    memory = finding.memory
    if memory is None or not memory.pointer or memory.from_pointer is None or memory.pointer_bytes is None:
        return finding
    at, size = memory.from_pointer, memory.pointer_bytes
    relation, distance = ("before", at) if at < 0 else ("after", at - size)
    own = f"{abs(distance):,} bytes {'before the start' if at < 0 else 'past the end'} of {memory.pointer}"
    message = finding.message.replace(memory.words, own, 1) if memory.words else finding.message
    placed = replace(
        memory,
        allocation=memory.pointer,
        allocation_bytes=size,
        distance=distance,
        relation=relation,
        words=own,
        made_at=None,  # of the other array
    )
    return replace(finding, message=message, memory=placed)


def _array(memory: Memory, lab: Lab, case: Case, text: str) -> _ArrayParameter | None:
    is_lab_s = memory.space == "global"
    shape = arrays.shapes(lab, case).get(memory.allocation) if is_lab_s else None
    if shape is None:
        return None if is_lab_s and lab.covers else _of_accesses(memory, text)
    count = math.prod(shape)
    element = memory.allocation_bytes // count if count and memory.allocation_bytes % count == 0 else FLOAT
    return _ArrayParameter(memory.allocation, shape, _signs(lab, memory.allocation), element)


def _of_accesses(memory: Memory, text: str) -> _ArrayParameter | None:
    """An array of a lab that declares none, as one of elements as wide as the access."""
    if not memory.allocation or not memory.bytes or memory.allocation_bytes % memory.bytes:
        return None
    declared = places.array_type(memory, text, None, None)
    vector = memory.bytes // declared.element if declared else 1
    count = memory.allocation_bytes // memory.bytes
    return _ArrayParameter(memory.allocation, (count,), (), memory.bytes, max(vector, 1))


def _signs(lab: Lab, name: str) -> tuple[str, ...]:
    return next((array.extents for array in lab.arrays if array.name == name), ())


def _by_own(
    finding: Finding, array: _ArrayParameter, lab: Lab, shape: LaunchShape | None
) -> own_element.ExplainedPlace | None:
    """The place from the thread's own element, if each thread computes one of an array of this shape."""
    if finding.memory is None or (lab.covers and array.signs != _signs(lab, lab.covers)):
        return None
    own = own_element.of_thread(finding.place, shape, len(array.shape))
    index = _index(finding.memory, array)
    return own_element.explained(finding.place, array.name, array.shape, index, own)


def _by_thread(
    finding: Finding, array: _ArrayParameter, lab: Lab, case: Case, shape: LaunchShape | None, text: str
) -> str:
    """Advice for a kernel in which each thread computes one element, if this thread's lies outside the array
    that the blocks cover; else "".
    """
    place = finding.place
    signs, extents = _signs(lab, lab.covers)[::-1], arrays.covered(lab, case)[::-1]
    if not lab.covers and shape and len(shape.threads) == len(array.shape) >= _MATRIX:
        signs, extents = array.signs[::-1], array.shape[::-1]
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
    what, covered = "must not read there", lab.covers or array.name
    if array.name == covered and place.access != "read":
        what = "must not write"
    elif set(array.signs) != set(signs) and "__shared__" in text:  # of a tile: it adds nothing
        what += ", and counts as 0"
    return f"This thread stands outside {covered}, as its {' and its '.join(outside)}: it {what}."


def _by_row(finding: Finding, array: _ArrayParameter, lab: Lab, shape: LaunchShape | None, text: str) -> str:
    memory = finding.memory
    if memory is None or (memory.distance == 0 and "<=" in text):
        return ""
    at = row_end.Reached(array.name, array.shape, array.signs, _index(memory, array))
    if words := row_end.of_own_row(at, finding.place, _signs(lab, lab.covers), shape):
        return words
    return row_end.of_several(at, shape) if array.name == lab.covers else ""


def _by_number(
    finding: Finding, array: _ArrayParameter, shape: LaunchShape | None, case: Case, text: str
) -> str:
    """Advice if the index is the thread's number in a launch of one dimension; else ""."""
    memory, place = finding.memory, finding.place
    if memory is None or shape is None or len(shape.threads) != 1 or not place.block or not place.thread:
        return ""
    number = place.block[0] * shape.threads[0] + place.thread[0]
    part = array.element * math.prod(array.shape[1:])
    at = memory.allocation_bytes + memory.distance
    own = at // part * part if array.is_of_structs else at
    if any((*place.block[1:], *place.thread[1:])) or own != number * part:
        return ""
    if array.signs and array.signs[0].isdecimal():
        return f"{array.size}, and the index here is this thread's number in the launch: is it meant to be?"
    names = [] if array.signs else [name for name in case.names if case.parameters[name] == array.shape[0]]
    bound = f"{names[0]} = {array.bound}" if len(names) == 1 else array.bound
    too_many = " A <= lets one too many through." if at == memory.allocation_bytes and "<=" in text else ""
    return (
        f"{array.size}, and this thread's number in the launch is {number:,}: let it read and write only "
        f"where its number is below {bound}.{too_many}"
    )


def _by_block(
    finding: Finding, array: _ArrayParameter, lab: Lab, case: Case, shape: LaunchShape | None
) -> str:
    """Advice if the access is where it would be with blockIdx.x and blockIdx.y swapped; else ""."""
    memory, place = finding.memory, finding.place
    signs, extents = _signs(lab, lab.covers), arrays.covered(lab, case)
    flat = len(extents) == _MATRIX and len(array.shape) == _MATRIX and len(place.block) >= _MATRIX
    if memory is None or not flat or shape is None or shape.threads != shape.outputs:
        return ""
    if len(shape.threads) < _MATRIX:  # a launch in one dimension, for rows of a fixed width such as structs
        return ""
    (x, y), (width, height) = place.block[:2], shape.threads[:2]
    if x == y:
        return ""
    element = (memory.allocation_bytes + memory.distance) // array.element
    row, column = x * height + place.thread[1], y * width + place.thread[0]
    by_row = array.signs[0] == signs[0] and row >= extents[0] and element // array.shape[1] == row
    of_columns = array.signs[1] == signs[1] and column >= extents[1]
    by_column = of_columns and (element - column) % array.shape[1] == 0
    if not by_row and not by_column:
        return ""
    return (
        f"This is where block ({x}, {y}) would be if its row came from blockIdx.x and its column from "
        "blockIdx.y: rows count along y, columns along x. Swap the two."
    )


def _of_group(memory: Memory, array: places.ArrayType | None) -> str:
    """Advice where a vector of which only the first elements are there is read or written; else ""."""
    if array is None or not places.reaches_out(memory):
        return ""
    group, there = memory.bytes // array.element, -memory.distance // array.element
    name = memory.array
    return (
        f"This takes {group} elements at once, and {name} has only {there} from there on: the last group is "
        "not whole. Take whole groups only, and the rest one by one."
    )


def _index(memory: Memory, array: _ArrayParameter) -> int:
    at = memory.distance if memory.relation == "before" else memory.allocation_bytes + memory.distance
    return at // array.element


def _just_before(memory: Memory, array: _ArrayParameter) -> str:
    """Advice on a neighbour of the first elements: the one before them, the row or the plane; else ""."""
    if memory.relation != "before":
        return ""
    back = -_index(memory, array)
    steps = {math.prod(array.shape[-axes:]): _AXES[axes] for axes in range(len(array.shape) - 1, 0, -1)}
    what = {**steps, 1: "element"}.get(back)
    if what is None:
        return ""
    number = f"{-back:,}".replace("-", "−")
    return (
        f"The index into {array.name} is negative: {number}, one {what} before the first, which has no "
        "neighbour there. In two or three dimensions, limit each index by itself before they become one "
        "number, which alone does not say where a row begins and ends."
    )


def _wrapped(memory: Memory, array: _ArrayParameter, source: str) -> str:
    """Advice on an index that is negative or far beyond its array, in this line."""
    index = _index(memory, array)
    number = f"{index:,}".replace("-", "−")
    words = f"The index into {array.name} is {number}, and {array.size}"
    if re.search(rf"\b{re.escape(array.name)}\s*+\[[^\]]{{0,80}}\batomic\w+\s*+\(", source):
        return (
            f"{words}. It is what an atomic has returned: is 0 written to its counter before anybody counts?"
        )
    question = "Is a stride too large, or has a product wrapped around at 2³²?"
    if index < 0:
        question = "Is too much subtracted? An int also turns negative where a product exceeds 2³¹ − 1."
    return f"{words}. {question} Compute large indices in size_t."


def _is_whole(lab: Lab, case: Case, shape: LaunchShape | None) -> bool:
    """Whether tiles cover the arrays exactly, so that no bound can be missing."""
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
    size, width = array.size, array.shape[-1]
    beyond = distance // array.element  # 0: the first element behind the last
    if beyond == 0 and "<=" in text:
        return (
            f"{size}, and this is the first one behind its last: where a loop or a bound says <=, "
            "it should say <."
        )
    last = f"{size}, and this is {beyond + 1:,} behind its last"
    if array.vector > 1:
        return (
            f"{last}: an index of groups counts groups, not elements, and goes below {array.bound}. Look at "
            "how it is computed, and at the condition of this access."
        )
    bounds = (
        f"look at the condition of this access, and at how far each loop runs{outside_shared.too_far(text)}"
    )
    if len(array.shape) == 1:
        if beyond == 0 or is_whole:
            return f"{last}: {bounds}."
        return f"{last}: bound the index by {array.bound} before you read or write, also in the last block."
    if beyond == 0 or is_whole:
        width_of_row = f"at the width of a row in the index, which is {array.signs[-1]} for {array.name}"
        return f"{last}: {bounds}, and {width_of_row}."
    if beyond < width - 1:
        return (
            f"{size}, and this is {beyond + 1} behind the end of its last row: bound the column by "
            f"{array.signs[-1]} before you read or write, also in the last, partial tile."
        )
    axis, part = _MATRIX - 1, width  # whole rows, or whole planes
    while axis + 1 < min(len(array.shape), len(_AXES)) and beyond + 1 >= part * array.shape[-axis - 1]:
        part, axis = part * array.shape[-axis - 1], axis + 1
    count, name = (beyond + 1) // part, _AXES[axis]
    far = f"a {name}" if count == 1 else f"{count} {name}s"
    sign = array.signs[-axis - 1]
    return f"{size}, and this is {far} too far: bound the {name} by {sign} before you read or write."
