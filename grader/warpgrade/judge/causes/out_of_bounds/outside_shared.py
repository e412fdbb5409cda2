"""Advice on an access outside a shared array, whose size does not depend on the lab's arrays."""

from __future__ import annotations

import math
import re

from ....core import formatting
from ....records import LaunchShape, Memory, Place
from ....tables.hardware import FLOAT, WARP
from .. import places
from ..block_area import called

_SIGNED = re.compile(r"\bsigned\s++char\b|(?<!\w)(?<!unsigned )char\s*+[*&\w]")


def behind(memory: Memory, shape: LaunchShape | None, text: str, whole: str) -> str:
    """Advice for a shared array, whose size does not depend on the lab's arrays."""
    return crowded(memory, shape) or (
        f"{_room(memory, whole)}: keep each index below its dimension{too_far(text)}."
    )


def of_own_number(place: Place, memory: Memory, shape: LaunchShape | None) -> str:
    """Advice where a thread takes the element that has its own number, and there are fewer; else ""."""
    count, number = _elements(memory), place.thread[0] if place.thread else 0
    if (
        shape is None
        or len(shape.threads) != 1
        or count + memory.distance // (memory.bytes or FLOAT) != number
    ):
        return ""
    return (
        f"{_room(memory)}, and thread {number} takes the element of its own number here. Only threads below "
        f"{count} have one: let the others take what changes nothing, such as 0 in a sum."
    )


def before(memory: Memory, whole: str) -> tuple[str, str]:
    """The cause of an index that is negative, in the first of the shared arrays, and advice."""
    array = places.array_type(memory, whole, None, None)
    back = math.ceil(-memory.distance / (array.element if array else memory.bytes or FLOAT))
    found = f"{_room(memory, whole)}, and the index here is negative: −{back:,}."
    if _SIGNED.search(whole):
        words = "A char is signed: bytes from 128 on are negative numbers in it. Read them as unsigned char."
        return "char-is-signed", f"{found} {words}"
    words = "Where a thread takes what lies before its own place, the first ones have nothing there: let them"
    return "outside-the-array", f"{found} {words} leave it out."


def _room(memory: Memory, text: str = "") -> str:
    name = memory.allocation.removeprefix("shared array ")
    declared = re.search(rf"\b__shared__\b([^;]{{0,160}}?)\b{re.escape(name)}\b", text)
    is_float = memory.bytes in (0, FLOAT) and (declared is None or "float" in declared[1])
    return f"{name} has room for {formatting.amount(_elements(memory), 'float' if is_float else 'element')}"


def _elements(memory: Memory) -> int:
    """How many elements a shared array holds, if they are as wide as the access."""
    return memory.allocation_bytes // (memory.bytes or FLOAT)


def crowded(memory: Memory, shape: LaunchShape | None) -> str:
    """Advice where a block has more threads than its array has elements; else ""."""
    # An array of one element for each warp, or a single variable, is not meant to hold one of each thread.
    of_warps = math.ceil(shape.threads_per_block / WARP) if shape else 0
    if shape is None or not max(of_warps, 1) < _elements(memory) < shape.threads_per_block:
        return ""
    return (
        f"{_room(memory)}, and {called(shape)} gives a block {shape.threads_per_block:,} threads: if each "
        "has an element of its own, make the tile and the launch shape go together."
    )


def too_far(text: str) -> str:
    """Advice on a <=, where a bound of the access contains one; else ""."""
    return ", and where a loop or a bound says <=, let it say <" if "<=" in text else ""
