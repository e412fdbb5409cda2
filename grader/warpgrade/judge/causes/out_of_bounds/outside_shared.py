"""Advice on an access outside a shared array, whose size does not depend on the lab's arrays."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence

from ....core import formatting
from ....records import LaunchShape, Memory, Place
from ....tables.hardware import FLOAT, WARP
from .. import places
from ..block_area import called
from ..index_value import value_in

_X = "threadIdx.x"
# the end of an index: … * LENGTH + variable
_LENGTH = re.compile(r"\*\s*+(\w++)\s*+\+\s*+([\w.]{1,40}+)\s*+\Z")
_TWO = r"\s*+\[\s*+(\w++)\s*+\]\s*+\[\s*+(\w++)\s*+\]"  # [row][column]
_FIRST = r"\[([^\[\];]{1,80})\]"
_LOOP = re.compile(r"\bfor\s*+\([^;(){}=]{0,40}?\b(\w++)\s*+=([^;{}]{1,80});([^;{}]{1,80});[^;{}()]{0,80}\)")
_MOST = 50  # loops that are looked at
_MATRIX = 2  # dimensions
_SIGNED = re.compile(r"\bsigned\s++char\b|(?<!\w)(?<!unsigned )char\s*+[*&\w]")


def behind(memory: Memory, shape: LaunchShape | None, text: str, whole: str, place: Place) -> str:
    """Advice for a shared array, whose size does not depend on the lab's arrays."""
    return (
        crowded(memory, shape)
        or exchanged_parts(memory, place.source, whole)
        or f"{_room(memory, whole)}: {_which_index(memory, place, whole)}{too_far(text)}."
    )


def beyond_row(place: Place, memory: Memory, shape: LaunchShape | None, text: str) -> str:
    """Advice where the index is `… * LENGTH + threadIdx.x`, and threadIdx.x goes up to more than LENGTH; else
    "".
    """
    name = memory.array
    found = re.search(rf"\b{re.escape(name)}\s*+\[", place.source) if name else None
    if found is None or shape is None or len(shape.threads) != 1:
        return ""
    term = _LENGTH.search(_index_at(place.source, found.end()))
    length = places.value_of(term[1], text, {}) if term else None
    if term is None or length is None or not 0 < length < shape.threads[0]:
        return ""
    variable = term[2].strip()
    if variable != _X and not re.search(rf"\b{re.escape(variable)}\s*+=\s*+{re.escape(_X)}\s*+[;,]", text):
        return ""
    return (
        f"By this index a row of {name} has {length:,} elements, and {variable} goes up to "
        f"{shape.threads[0] - 1:,}: what is added behind the product must stay below {length:,}, as "
        f"{variable} % {term[1]} does."
    )


def _which_index(memory: Memory, place: Place, text: str) -> str:
    """Which index is too large, what it is here, and where its values come from."""
    name = memory.array
    array = places.array_type(memory, text, None, None)
    indices = re.findall(rf"\b{re.escape(name)}\s*+{_FIRST}", place.source) if name else []
    if not indices or array is None:
        return "keep each index below its dimension"
    if words := _of_its_dimension(name, array.shape, place, text):
        return words
    offset = memory.allocation_bytes + memory.distance
    value = places.indices(offset // array.element, array.shape)[0]
    index = max(indices, key=len).strip()  # of several, the one that is more than the thread's own
    said = index if index == str(value) else f"{index} is {value:,} here, and"
    words = f"{said} has to stay below {array.shape[0]:,}"
    loop = next(_loops_of(index, text), None)
    if loop:
        words += (
            f"; {loop[1]} begins with {loop[2].strip()} in its loop, which goes on while {loop[3].strip()}"
        )
    return words


def _of_its_dimension(name: str, extents: Sequence[int], place: Place, text: str) -> str:
    """The index that is too large for its own dimension, where the text tells all of an access; else ""."""
    for access in re.finditer(rf"\b{re.escape(name)}((?:\s*+{_FIRST}){{{len(extents)}}})", place.source):
        indices = [each.strip() for each in re.findall(_FIRST, access[1])]
        values = [value_in(place, each, text) for each in indices]
        if None in values:
            continue
        for index, value, extent in zip(indices, values, extents, strict=True):
            if value is not None and value >= extent:
                which = "" if len(extents) == 1 else f" in a dimension of {extent:,}"
                said = index if index == str(value) else f"{index} is {value:,}"
                return f"{said} here{which}, and has to stay below {extent:,}"
    return ""


def _loops_of(index: str, text: str) -> Iterator[re.Match[str]]:
    """The loops whose variable is a part of the index."""
    names = set(re.findall(r"(?<![\w.])[^\W\d]\w*+", index))
    return (head for head in itertools.islice(_LOOP.finditer(text), _MOST) if head[1] in names)


def of_grid(place: Place, memory: Memory, text: str) -> str:
    """Advice where a block other than the first uses a number that counts all blocks' threads; else ""."""
    name = memory.array
    found = re.search(rf"\b{re.escape(name)}\s*+\[", place.source) if name else None
    if found is None or not any(place.block):
        return ""
    index = _index_at(place.source, found.end())
    for word in ("blockIdx", *re.findall(r"(?<![\w.])[^\W\d]\w*+(?!\s*+[(.\[])", index)):
        given = "blockIdx" if word in index and word == "blockIdx" else _given(word, text)
        if "blockIdx" in given:
            return (
                f"Each block has {name} for itself, with elements for its own threads, and {word} counts on "
                "from block to block: let threadIdx alone say which element is a thread's."
            )
    return ""


def _given(name: str, text: str) -> str:
    """The value that a variable is given from the block's number; "" where there is another."""
    given = re.findall(rf"\b{re.escape(name)}\s*+=(?!=)([^;={{}}]{{1,160}})[;,]", text)
    return given[0] if given and all("blockIdx" in each for each in given) else ""


def exchanged_parts(memory: Memory, source: str, text: str) -> str:
    """Advice where an index is a quotient, and its dimension is as long as the divisor; else ""."""
    name = memory.array
    array = places.array_type(memory, text, None, None)
    found = re.search(rf"\b{re.escape(name)}{_TWO}", source) if name else None
    if found is None or array is None or len(array.shape) != _MATRIX:
        return ""
    for index, extent in zip(found.groups(), array.shape, strict=True):
        split = re.search(rf"\b{re.escape(index)}\s*+=\s*+(\w++)\s*+/\s*+(\w++)\s*+[;,]", text)
        divisor = places.value_of(split[2], text, {}) if split else None
        if split and divisor == extent != array.shape[0] * array.shape[1] // extent:
            return (
                f"{index} is {split[1]} / {split[2]}, and an index of a dimension of {extent:,}. A number "
                f"divided by {extent:,} goes on and on, and its rest, {split[1]} % {split[2]}, stays below "
                f"{extent:,}: are / and % exchanged?"
            )
    return ""


def _index_at(source: str, begin: int) -> str:
    """The text from there up to the bracket that closes it."""
    depth = 1
    for at in range(begin, len(source)):
        depth += (source[at] == "[") - (source[at] == "]")
        if depth == 0:
            return source[begin:at]
    return source[begin:]


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
