"""Advice for a call of a warp's matrix function with a distance between rows that is not the array's.

wmma::load_matrix_sync(a, &tile[row][0], DISTANCE) and store_matrix_sync take the number of elements from the
start of a row to the start of the next one. With a wrong distance, they read or write elsewhere.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ....records import Case, Finding, Lab, Memory
from .. import places
from ..source_text import split
from ..wrong_answer import tile_pitch

CAUSE, WHOLE, MISALIGNED = "distance-of-rows", "whole-matrix", "misaligned-matrix"
_CALL = re.compile(r"\b(load|store)_matrix_sync\s*+\(([^;]{1,300})\)\s*+;")
_FUNCTION = re.compile(r"\b(load|store)_matrix_sync\b")
_WHOLE = "{} takes all rows and columns of its matrix, also those behind a border, and wants it aligned. {}"
_WAY_ROUND = {
    "load": "Bring the elements to shared memory, with 0 for those that do not exist, and load from there.",
    "store": "Store to shared memory, and from there the elements that exist, one by one.",
}
_ALIGNED = (
    "{} wants a pointer that is aligned to 32 bytes, and rows that begin a multiple of 16 bytes apart: 8 "
    "halves or 4 floats. What is added to a row as padding has to keep that, and so has the element that it "
    "begins with."
)
_CAST = re.compile(r"\b(?:static|reinterpret|const|dynamic)_cast\s*+<[^<>]{1,80}>")
_PLACE, _DISTANCE = {"load": 1, "store": 0}, 2  # arguments: where the matrix lies, and how far apart its rows
_MOST = 50  # calls that are looked at
_MATRIX = 2  # dimensions
_ROWS = 16  # of a fragment, at most
_CHECKS = ("init", "memory", "race")


@dataclass(frozen=True)
class _Call:
    function: str
    array: str
    distance: str  # as the program has it


def advised(finding: Finding, text: str, lab: Lab, case: Case) -> Finding:
    """`text`: the kernel's source without comments."""
    memory = finding.memory
    if memory is None or finding.check not in _CHECKS or "_matrix_sync" not in text:
        return finding
    found = _with_distance(finding, memory, text, lab, case)
    call = _FUNCTION.search(finding.place.source)
    if found.cause == CAUSE or finding.check != "memory" or call is None:
        return found
    if memory.space == "shared" and finding.kind == "misaligned":
        return replace(found, cause=MISALIGNED, help=_ALIGNED.format(call[0]))
    if memory.space != "global":
        return found
    return replace(found, cause=WHOLE, help=_WHOLE.format(call[0], _WAY_ROUND[call[1]]))


def _with_distance(finding: Finding, memory: Memory, text: str, lab: Lab, case: Case) -> Finding:
    array = places.array_type(memory, text, lab, case)
    if array is None or len(array.shape) > _MATRIX:
        return finding
    words = _wrong_distance(memory.array, array, text, case.parameters)
    if words and finding.check == "race":
        title = f"matrices of several warps overlap at {memory.words or 'one element'}"
        return replace(finding, cause=CAUSE, message=title, help=words)
    return replace(finding, cause=CAUSE, help=words) if words else finding


def in_shared(text: str) -> str:
    """Advice on a call with a shared array, whatever it led to; else ""."""
    if "_matrix_sync" not in text:
        return ""
    found = (
        _wrong_distance(call.array, array, text, {})
        for call in _calls(text)
        for array in places.declared(call.array, text)
        if len(array.shape) <= _MATRIX
    )
    return next(filter(None, found), "")


def _wrong_distance(name: str, array: places.ArrayType, text: str, parameters: Mapping[str, int]) -> str:
    """Words about the first call whose distance is not that of the rows of this array; else ""."""
    for call in _calls(text):
        distance = places.value_of(call.distance, text, parameters)
        if call.array != name or distance is None:
            continue
        # A dimension that holds a whole matrix says nothing about the length of its rows.
        is_whole = len(array.shape) < _MATRIX or array.shape[-1] >= _ROWS * distance
        width = tile_pitch.filled_by(name, text) if is_whole else array.shape[-1]
        if width is not None and distance != width:
            return (
                f"{call.function} is called as if rows of {name} begin {distance:,} elements apart "
                f"({call.distance}), and they are {width:,}: its distance is the length of a row in memory, "
                "with what is added to it, whatever part of the row is used."
            )
    return ""


def _calls(text: str) -> Iterator[_Call]:
    for match in itertools.islice(_CALL.finditer(text), _MOST):
        arguments = split(match[2])
        if len(arguments) <= _DISTANCE:
            continue
        place = _CAST.sub("", arguments[_PLACE[match[1]]])
        if array := re.search(r"[^\W\d]\w*", place):
            yield _Call(f"{match[1]}_matrix_sync", array[0], arguments[_DISTANCE].strip())
