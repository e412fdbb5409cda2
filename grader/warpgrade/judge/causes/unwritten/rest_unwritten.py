"""A read of a shared array of which the block has filled a part only: which part that is.

The part is named if it is a box: some neighbouring elements, or these columns of those rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ....records import Finding, Memory
from .. import places

CAUSE, NOTHING = "rest-unwritten", "nothing-stored"
CAUSES = (CAUSE, NOTHING)
_AXES = ("planes", "rows", "columns")

_Span = tuple[int, int]  # the first and the last index


def advised(finding: Finding, text: str) -> Finding:
    """The finding with advice; unchanged where nothing is known. `text`: the source without comments."""
    memory = finding.memory
    if memory is None or finding.written is None or memory.relation != "inside":
        return finding
    name = memory.array
    adds = finding.place.access == "atomic"
    if not finding.written and adds:
        return finding
    if not finding.written:
        words = (
            f"No thread of the block has stored anything in {name} before this read: does the line that "
            "fills it come later, or under a condition that no thread of this block meets?"
        )
        return replace(finding, cause=NOTHING, help=words)
    array = places.array_type(memory, text, None, None)
    box = _box(finding.written, array) if array else None
    if array is None or box is None or _is_in(memory, array, box):
        return finding
    count, total = math.prod(last - first + 1 for first, last in box), math.prod(array.shape)
    remedy = "set all of them first" if adds else "fill the rest, too, or read only what is filled"
    words = (
        f"The block has stored {_words(name, box, array.shape)} and nothing else in {name}, {count:,} of its "
        f"{total:,} elements, and this {'adds to' if adds else 'reads'} {memory.words or 'another one'}: "
        f"{remedy}."
    )
    return replace(finding, cause=CAUSE, help=words)


def _box(written: Sequence[tuple[int, int]], array: places.ArrayType) -> tuple[_Span, ...] | None:
    """The spans of indices, one for each dimension, if the elements that were written are all of these."""
    numbers = {
        number
        for begin, bytes in written
        for number in range(begin // array.element, (begin + bytes) // array.element)
    }
    if not numbers:
        return None
    indices = [places.indices(number, array.shape) for number in numbers]
    box = tuple((min(axis), max(axis)) for axis in zip(*indices, strict=True))
    return box if math.prod(last - first + 1 for first, last in box) == len(numbers) else None


def _is_in(memory: Memory, array: places.ArrayType, box: Sequence[_Span]) -> bool:
    at = places.indices(memory.distance // array.element, array.shape)
    return all(first <= index <= last for index, (first, last) in zip(at, box, strict=True))


def _words(name: str, box: Sequence[_Span], shape: Sequence[int]) -> str:
    """ "h[0] to h[511]", or "row 0", "rows 7 to 22, columns 7 to 22" of an array of more dimensions."""
    if len(shape) == 1 or len(shape) > len(_AXES):
        first, last = ("".join(f"[{span[end]}]" for span in box) for end in (0, 1))
        return f"{name}{first}" if first == last else f"{name}{first} to {name}{last}"
    axes = zip(_AXES[-len(shape) :], box, shape, strict=True)
    parts = (_span(axis, span) for axis, span, extent in axes if span != (0, extent - 1))
    return ", ".join(parts)


def _span(axis: str, span: _Span) -> str:
    first, last = span
    return f"{axis[:-1]} {first}" if first == last else f"{axis} {first} to {last}"
