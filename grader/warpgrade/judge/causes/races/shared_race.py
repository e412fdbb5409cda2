"""Advice on a race in shared memory, by what its two sides do there."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

from ....records import Finding, LaunchShape, Place, Submission
from ....tables.hardware import WARP
from .. import places
from ..source_text import beside

_WRITES, _READ_AND_WRITE = "race-write-write", "race-read-write"
_SET_AND_UPDATED = (
    "Line {} sets what line {} updates by an atomic, and nothing says which of the two comes first: put "
    "__syncthreads() between the two lines. An atomic orders updates among themselves only."
)
_LANE_FOR_WARP = (
    "Lane {} of warp {} and of warp {} both write {}: the index is a lane's number, threadIdx.x % 32, and "
    "each warp has such a lane. What a warp has belongs at the warp's number, threadIdx.x / 32."
)
_DRAWN_BY_ALL = (
    "Each thread that comes to line {0} draws a number of its own by {1}, and all store theirs in {2}. Where "
    "the block is to have one: let one thread draw it, as by if (threadIdx.x == 0), and let the others wait "
    "for it at __syncthreads()."
)
_IN_EACH_TURN = (
    "Each turn of the loop in line {} reads what other threads have written in the turn before: put "
    "__syncthreads() at the end of its body, where all threads reach it, also those that do nothing in it."
)
_AT_ONCE = (
    "Line {} reads what other threads write in the same line, and a barrier behind it comes too late. Where "
    "all are to take old values: read into a variable, __syncthreads(), write, and __syncthreads() again. In "
    "a tree, a thread that adds must not be read from in the same step."
)


def advised(finding: Finding, submission: Submission | None, shape: LaunchShape | None, text: str) -> Finding:
    """The finding with advice that fits; unchanged where nothing more is known. `text`: the source of all
    files, without comments.
    """
    place, other, memory = finding.place, finding.other, finding.memory
    if finding.cause or other is None or memory is None or memory.space != "shared":
        return finding
    is_one_line = (place.file, place.line) == (other.file, other.line)
    if finding.kind == _WRITES and {place.access, other.access} == {"atomic", "write"} and not is_one_line:
        setting, updating = (place, other) if place.access == "write" else (other, place)
        words = _SET_AND_UPDATED.format(setting.line, updating.line)
        return replace(finding, cause="set-and-updated", help=words)
    if finding.kind == _WRITES and is_one_line and (drawn := _DRAWN.search(place.source)):
        words = _DRAWN_BY_ALL.format(place.line, drawn[2], drawn[1])
        return replace(finding, cause="drawn-by-all", help=words)
    if finding.kind == _WRITES and is_one_line and (words := _of_lanes(finding, other, shape, text)):
        return replace(finding, cause="lane-for-warp", help=words)
    if finding.kind == _READ_AND_WRITE and is_one_line and _waits_beside(place, submission):
        return replace(finding, cause="read-and-written-at-once", help=_AT_ONCE.format(place.line))
    if finding.kind == _READ_AND_WRITE and is_one_line and (head := _loop_without_barrier(place, submission)):
        return replace(finding, help=_IN_EACH_TURN.format(head))
    return finding


def _loop_without_barrier(place: Place, submission: Submission | None) -> int:
    """The line of the loop right around a line, if no barrier is near; 0 without such a loop."""
    lines = beside(place, submission).split("\n")
    if any("__syncthreads" in line for line in lines[place.line : place.line + _NEAR]):
        return 0
    closed = 0
    for number in range(min(place.line, len(lines)), max(place.line - _NEAR, 0), -1):
        line = lines[number - 1]
        closed += line.count("}") - line.count("{")
        is_around = number == place.line or (closed <= 0 and not line.rstrip().endswith((";", "}")))
        if "__syncthreads" in line or (is_around and _LOOP.search(line)):
            return 0 if "__syncthreads" in line else number
    return 0


def _of_lanes(finding: Finding, other: Place, shape: LaunchShape | None, text: str) -> str:
    """Advice where the element that two warps write has the number of the lanes that write it; else ""."""
    memory = finding.memory
    array = places.array_type(memory, text, None, None) if memory else None
    if memory is None or array is None or shape is None or len(array.shape) != 1:
        return ""
    numbers = [_number_in_block(each, shape) for each in (finding.place, other)]
    (warp, lane), (other_warp, other_lane) = sorted(divmod(number, WARP) for number in numbers)
    if warp == other_warp or not lane == other_lane == memory.distance // array.element:
        return ""
    return _LANE_FOR_WARP.format(lane, warp, other_warp, memory.words or "the same element")


def _number_in_block(place: Place, shape: LaunchShape) -> int:
    extents = (*shape.threads, 1, 1)[: len(place.thread)]
    return places.linear_index(place.thread[::-1], extents[::-1])


def _waits_beside(place: Place, submission: Submission | None) -> bool:
    """Whether the line updates an element, and a barrier follows in its block, or stands before it in the
    same turn of a loop.
    """
    lines = beside(place, submission).split("\n")
    if not 1 <= place.line <= len(lines) or "__syncthreads" in lines[place.line - 1]:
        return False
    if not re.search(r"[^=!<>]=(?!=)", lines[place.line - 1]):
        return False
    depth = 0
    for line in lines[place.line : place.line + _NEAR]:
        depth += line.count("{") - line.count("}")
        if depth < 0:
            break
        if "__syncthreads" in line:
            return True
    before = lines[max(0, place.line - 1 - _NEAR) : place.line - 1]
    turn = itertools.takewhile(lambda line: not _HEAD.search(line), reversed(before))
    return any("__syncthreads" in line for line in turn)


_NEAR = 5  # lines around an update in which its barrier is looked for
_LOOP = re.compile(r"\b(?:for|while)\b")
_DRAWN = re.compile(r"\b(\w++)\s*+=\s*+(atomic\w++)\s*+\(")  # a shared variable gets an atomic's answer
_HEAD = re.compile(r"\b(?:for|while|do|__global__)\b")
