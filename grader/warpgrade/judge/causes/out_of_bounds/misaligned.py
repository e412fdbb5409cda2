"""Advice on a vector that is read or written where none can begin: by its array, a row, or the index."""

from __future__ import annotations

from dataclasses import replace

from ....records import Case, Finding, Lab, Memory
from .. import places

CAUSE = "misaligned"
_REMEDY = "Take vectors only where that holds, and single elements elsewhere."


def advised(finding: Finding, text: str, lab: Lab, case: Case) -> Finding:
    """The finding with advice; unchanged where the array is not known. `text`: without comments."""
    memory = finding.memory
    if finding.kind != CAUSE or memory is None or memory.relation != "inside" or memory.space != "global":
        return finding
    array = places.array_type(memory, text, lab, case)
    if array is None or memory.bytes <= array.element or memory.distance % array.element:
        return finding
    name = memory.array
    words = _of_begin(memory, name) or _of_row(memory, array, name, _width(lab, name))
    return replace(finding, cause=CAUSE, help=words or _of_index(memory, array, name))


def _of_begin(memory: Memory, name: str) -> str:
    """Advice where the array itself begins where no vector can."""
    if (int(memory.address, 16) - memory.distance) % memory.bytes == 0:
        return ""
    return (
        f"{name} itself does not begin at a multiple of {memory.bytes} bytes here: it may begin at any "
        f"element. Look at the address before you read or write vectors of it. {_REMEDY}"
    )


def _of_row(memory: Memory, array: places.ArrayType, name: str, width: str) -> str:
    """Advice where the row of a matrix begins where no vector can."""
    row = memory.distance // array.element // array.shape[-1]
    begin, group = row * array.shape[-1], memory.bytes // array.element
    if len(array.shape) == 1 or begin % group == 0:
        return ""
    length = f"{width} = {array.shape[-1]:,}" if width else f"{array.shape[-1]:,}"
    return (
        f"A row of {name} has {length} elements, which is no multiple of {group}, so that row {row:,} begins "
        f"with element {begin:,}, where no vector of {group} can begin. {_REMEDY}"
    )


def _of_index(memory: Memory, array: places.ArrayType, name: str) -> str:
    index, group = memory.distance // array.element, memory.bytes // array.element
    at = places.place(memory, array)
    return (
        f"This takes {group} elements of {name} from {at} on, number {index:,} of all, and vectors of "
        f"{group} begin at multiples of {group}: is the index one of elements where one of vectors belongs, "
        "or does a thread begin in the middle of a vector?"
    )


def _width(lab: Lab, name: str) -> str:
    """The lab's word for the length of the array's rows."""
    return next((each.extents[-1] for each in lab.arrays if each.name == name), "")
