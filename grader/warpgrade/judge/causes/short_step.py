"""Advice on a loop whose turns threads share, and whose step is smaller than their number: threads come to
places of others, and the last ones beyond the array.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace

from ...records import Finding, LaunchShape, Place, Submission
from . import block_area, places
from .source_text import beside, code

CAUSE = "step-too-short"
_LESS = ("", "shared-element", block_area.ELSEWHERE)  # causes that say less
_KINDS = (
    "race-same-value", "race-write-write", "race-read-write", "global-race", "global-race-same-value",
    "out-of-bounds-write",
)  # fmt: skip
_HEAD = re.compile(
    r"\bfor\s*+\([^;(){}=]{0,40}?\b(\w++)\s*+=([^;{}]{1,120});[^;{}]{1,120};\s*+"
    r"(?:(\w++)\s*+\+=\s*+([^;{}()]{1,60})|(?:\+\+\s*+)?+(\w++)(?:\s*+\+\+)?+)\)"
)
_THREAD = re.compile(r"\bthreadIdx\.([xyz])\b")
_WRITTEN = re.compile(r"\]\s*+(?:[-+*/|&^]?=(?!=)|\+\+|--)|\batomic\w+\s*+\(")  # an element is stored
_PART = re.compile(r"[%/&]|>>|\b[A-Za-z]\w*+\s*+\(")  # of a thread's number: its lane or its warp
_BY_BLOCKS = re.compile(r"\b(\w++)\s*+\+=\s*+gridDim\.([xyz])\s*+[;)]")
_NEAR = 20  # lines above the access in which its loop begins, or below it, in which a turn ends
_WORDS = (
    "The loop in line {} goes on by {}, and {} threads share its turns: a thread comes to places that others "
    "have as well. Let it go on by the number of threads, or let the block have as many as the step says."
)
_BLOCKS = (
    "{0} grows by gridDim.{1} in line {2}, which counts the blocks, and each block has {3:,} threads: other "
    "threads come to the same places. All threads of the grid are gridDim.{1} * blockDim.{1}."
)


def advised(finding: Finding, submission: Submission | None, shape: LaunchShape | None) -> Finding:
    """The finding with advice; unchanged where no such loop is around it."""
    place, other = finding.place, finding.other
    if finding.kind not in _KINDS or (finding.cause or "") not in _LESS or shape is None:
        return finding
    text = beside(place, submission)
    line = "".join(text.split("\n")[place.line - 1 : place.line])
    if other is not None and (place.line != other.line or not _WRITTEN.search(line)):
        return finding
    words = _advice(place, text, code(submission), shape) or _by_blocks(place, text, shape)
    return replace(finding, cause=CAUSE, help=words) if words else finding


def _advice(place: Place, text: str, whole: str, shape: LaunchShape) -> str:
    lines = text.split("\n")
    if not 1 <= place.line <= len(lines):
        return ""
    for at in range(place.line, max(place.line - _NEAR, 0), -1):
        for head in itertools.islice(_HEAD.finditer(lines[at - 1]), 3):
            variable, begin, stepped, step, by_one = head.groups()
            if not re.search(rf"\b{variable}\b", lines[place.line - 1]):
                continue
            stepped, step = stepped or by_one, step or "1"
            length = places.value_of(step, whole, {})
            count = _threads(variable, begin, lines[place.line - 1], text, shape)
            if variable == stepped and length is not None and 0 < length < count:
                said = step.strip() if step.strip() == str(length) else f"{step.strip()} = {length:,}"
                return _WORDS.format(at, said, f"{count:,}")
    return ""


def _by_blocks(place: Place, text: str, shape: LaunchShape) -> str:
    """Advice where each thread begins with a number of its own, and goes on by the number of blocks."""
    lines = text.split("\n")
    for at in range(max(place.line - _NEAR, 1), min(place.line + _NEAR, len(lines)) + 1):
        found = _BY_BLOCKS.search(lines[at - 1])
        if found and re.search(rf"\b{found[1]}\b", lines[place.line - 1]):
            given = re.findall(rf"\b{found[1]}\s*+=(?!=)([^;={{}}]{{1,120}})", text)
            threads = dict(zip("xyz", shape.threads, strict=False)).get(found[2], 1)
            if threads > 1 and any(f"threadIdx.{found[2]}" in each for each in given):
                return _BLOCKS.format(found[1], found[2], at, threads)
    return ""


def _threads(variable: str, begin: str, line: str, text: str, shape: LaunchShape) -> int:
    """How many threads of a block share the turns of a loop; 0 where that is not known."""
    begin = _written_out(begin.strip(), text)
    if _PART.search(begin):
        return 0
    axes = set(_THREAD.findall(begin))
    if not axes:  # threads begin where the index says: threadIdx.y + j
        sums = re.findall(rf"\b([\w.]+)\s*+\+\s*+{variable}\b|\b{variable}\s*+\+\s*+([\w.]+)", line)
        axes = {
            axis
            for sum in sums
            for name in filter(None, sum)
            for axis in re.findall(r"\AthreadIdx\.([xyz])\Z", _written_out(name, text))
        }
        if len(axes) != 1:
            return 0
    extents = dict(zip("xyz", shape.threads, strict=False))
    return math.prod(extents.get(axis, 1) for axis in axes)


def _written_out(words: str, text: str) -> str:
    """A single name as the value that it is given, if it is given one once."""
    if not re.fullmatch(r"[^\W\d]\w*", words):
        return words
    given = re.findall(rf"\b{words}\s*+=(?!=)([^;={{}}]{{1,120}}?)(?:;|,\s*+\w++\s*+=)", text)
    return given[0].strip() if len(given) == 1 else words
