"""Advice on reads of what nobody has written: who should have, and where that thread left."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ....core import formatting
from ....records import Finding, LaunchShape, Place, Submission
from .. import places
from ..source_text import bare, beside, code
from . import left_before, other_stream, rest_unwritten

_RETURN = re.compile(r"\breturn\b")
_DECLARATION = re.compile(
    r"[\s{]*+(?:alignas\s*+\(\w{1,20}\)\s*+)?+"
    r"(?:float|double|int|unsigned(?:\s++int)?|long|bool|char|half|float2|float4)\s++([\w\s,=.\[\]+*-]{1,200});"
)
_WITHOUT_VALUE = re.compile(r"\s*+([^\W\d]\w*+)\s*+(?:\[[^\]]{1,40}\]\s*+)*+")
# The last argument, to which the products are added: mma_sync(sums[i], a, b, sums[i]);
_ADDED_TO = re.compile(r"\bmma_sync\s*+\([^;]{1,200},\s*+(\w++)[^,;()]{0,80}\)\s*+;")
_INDEX, _MOST_USES = 200, 50  # characters of an element's indices; places where an array is named
_SUBSCRIPT = r"(?:\s*+\[[^\[\];]{1,80}+\])"
_ELEMENT = re.compile(_SUBSCRIPT + r"{1,3}+")
_SET = re.compile(r"\s*+(?:(?:[-+*/|&^%]|<<|>>)?+=(?!=)|\+\+|--)")
_VARIABLE = "uninitialised-variable"
_COPY = "unwritten-copy"
# The emulator's name of such a copy that goes to where a kernel has written.
_OVER_RESULTS = "over-results"
_WROTE_TO_THE_HOST = (
    "A kernel has written to where this copy goes, and the copy overwrites that: the kernel was given the "
    "host's pointer, which works as the memory is pinned. Pass it the pointer that this copy reads from."
)
_COPIED_TOO_EARLY = (
    "The copy in line {} comes before the launch in line {}, and there are no results yet: copy them back "
    "behind the launch."
)
_NEVER_FILLED = (
    "No copy and no kernel has written there before. Is this the array that is meant, and the right place in "
    "it? What fills it has to come first, in the order of the stream."
)
_NO_THREAD = (
    "No thread has written there before, and memory of the GPU does not begin with zeros. Is this the array "
    "that is meant, and the right place in it? What a kernel adds to, or looks at, has to be set first."
)
_CLEARED = "An atomic adds to what is there: set each element to 0 first, and wait for that at a barrier."
_CLEARED_BY_NOBODY = (
    "An atomic adds to what is there, and nobody has set this to 0. No barrier makes a block wait until "
    "another one has done so: set it before the launch. Where the launch is not yours, let each block leave "
    "its part in a place of its own, and let the last block add these and write the result once."
)
_PARTLY_FILLED = (
    "What lies before this place has been written, and from here on nothing has. Is the size of a copy given "
    "in elements? Sizes are in bytes: n * sizeof(…). If not, look at how far the loop or the grid that fills "
    "it goes."
)


def advised(
    finding: Finding, submission: Submission | None = None, shape: LaunchShape | None = None
) -> Finding:
    """The finding with the mistake behind it; unchanged where the emulator knows no writer."""
    if finding.check != "init":
        return finding
    if finding.kind == _COPY and finding.cause == _OVER_RESULTS:
        return replace(finding, help=_WROTE_TO_THE_HOST)
    if finding.kind == _COPY:
        return _before_launches(finding, beside(finding.place, submission))
    if finding.kind == _VARIABLE:
        return _not_shared(finding) if finding.writer else _named(finding, submission)
    if finding.writer:
        return _passed(finding, finding.writer)
    if column := places.added_columns(finding.memory, code(submission)) if finding.memory else 0:
        return _of_added_columns(finding, column)
    if finding.lanes == 1 and finding.memory and places.is_corner(finding.memory, code(submission)):
        return _of_corner(finding)
    if words := _never_stored(finding, code(submission)):
        return replace(finding, cause="never-filled", help=words)
    if words := _of_update(finding):
        return replace(finding, cause="not-cleared", help=words)
    if words := _too_few(finding, code(submission), shape):
        gone = left_before.advice(finding, beside(finding.place, submission))
        return replace(finding, cause=left_before.CAUSE if gone else "too-few-threads", help=gone or words)
    if (filled := rest_unwritten.advised(finding, code(submission))) != finding:
        return filled
    if finding.place.access == "atomic":
        is_of_block = finding.memory is not None and finding.memory.space == "shared"
        return replace(finding, cause="not-cleared", help=_CLEARED if is_of_block else _CLEARED_BY_NOBODY)
    if finding.memory and finding.memory.space == "global":
        if shape is not None:  # a kernel alone was handed in: its copies are not the student's
            return replace(finding, cause="read-before-written", help=_NO_THREAD)
        if words := other_stream.advice(finding.memory, beside(finding.place, submission)):
            return replace(finding, cause=other_stream.CAUSE, help=words)
        if finding.memory.distance > 0:
            return replace(finding, cause="partly-filled", help=_PARTLY_FILLED)
        return replace(finding, cause="never-filled", help=_NEVER_FILLED)
    return finding


def _before_launches(finding: Finding, text: str) -> Finding:
    """A copy of results that stands above all launches of its function."""
    lines, here = text.split("\n"), finding.place.line
    launches = [number for number, line in enumerate(lines, 1) if "<<<" in line]
    if not here or not launches or min(launches) < here:
        return finding
    if any(line.startswith("}") for line in lines[here - 1 : min(launches) - 1]):
        return finding
    words = _COPIED_TOO_EARLY.format(here, min(launches))
    return replace(finding, cause="copied-too-early", help=words)


def _never_stored(finding: Finding, text: str) -> str:
    """Advice where the text reads elements of a shared array and does nothing else with it; else ""."""
    memory = finding.memory
    name = memory.array if memory and memory.space == "shared" else ""
    if not name or len(_of_name(name, text)) < len(("declared", "read")):
        return ""
    for use in _of_name(name, text)[1:]:
        before, behind = text[max(0, use.start() - 2) : use.start()].rstrip(), text[use.end() :][:_INDEX]
        index = _ELEMENT.match(behind)
        if index is None or before.endswith(("&", "++", "--")) or _SET.match(behind, index.end()):
            return ""
    return (
        f"No line stores into {name}, and line {finding.place.line} reads it: the line that should "
        "fill it is missing, or stores into another array."
    )


def _of_name(name: str, text: str) -> list[re.Match[str]]:
    return list(itertools.islice(re.finditer(rf"(?<![\w.>]){re.escape(name)}\b", text), _MOST_USES))


def _of_update(finding: Finding) -> str:
    """Advice where the line adds to the element, and reads no other one of its array; else ""."""
    name = finding.memory.array if finding.memory else ""
    if not name or len(re.findall(rf"\b{name}\b", finding.place.source)) != 1:
        return ""
    element = re.search(rf"\b{name}((?:\s*+\[[^\[\];=]{{1,80}}+\]){{1,3}}+)\s*+[-+*]=", finding.place.source)
    if not element:
        return ""
    return (
        f"This line adds to {name}{element[1]}, and nobody has given it a value before: set it to 0 first. "
        "Memory of a block or of the GPU does not begin with zeros."
    )


def _too_few(finding: Finding, text: str, shape: LaunchShape | None) -> str:
    """Advice where one element a thread leaves a shared array unfilled from this place on; else ""."""
    memory = finding.memory
    if memory is None or memory.space != "shared" or shape is None:
        return ""
    array = places.array_type(memory, text, None, None)
    if array is None or len(array.shape) < len(("row", "column")):
        return ""
    *others, last = array.shape
    width = array.added_from or last
    count = math.prod((*others, width))
    row, column = divmod(memory.distance // array.element, last)
    each, rest = divmod(count, shape.threads_per_block)
    if rest or row * width + column < shape.threads_per_block:
        return ""
    name = memory.array
    return (
        f"A block has {shape.threads_per_block:,} threads for the {count:,} elements of {name}: each has to "
        f"bring {each} of them, in a loop, before any is read."
    )


def _of_added_columns(finding: Finding, column: int) -> Finding:
    """A read of columns that a bound such as [TILE + 1] adds: padding, or a border that has to be loaded."""
    name = finding.memory.array if finding.memory else ""
    words = (
        f"Columns of {name} from {column} on are those that its declaration adds, and nobody has written "
        "them. Padding is not to be read: look at the index here, and at the width of a row that it is "
        "computed with. A border has to be loaded."
    )
    return replace(finding, cause="padding-read", help=words)


def _of_corner(finding: Finding) -> Finding:
    """A read by one thread of a warp, in a corner: the halo has been loaded without its corners."""
    what = finding.memory.words if finding.memory and finding.memory.words else "that element"
    words = (
        f"Nobody loads {what}, a corner of the tile. Are the row and the column meant to be one off at the "
        "same time? Where only neighbours beside, above and below count, one index alone differs; where "
        "diagonal ones do, load the corners, too."
    )
    return replace(finding, cause="corner-unwritten", help=words)


def _named(finding: Finding, submission: Submission | None) -> Finding:
    """The variable without a value that the line reads, by the declarations above it; of several, one that no
    line in between sets.
    """
    text = submission.source(finding.place.file.rsplit("/", 1)[-1]) if submission else None
    lines = bare(text or "").split("\n")[: finding.place.line]
    if added_to := _ADDED_TO.search(finding.place.source):
        return _of_accumulator(finding, added_to[1], lines)
    declared = list(_declared_without_value(lines, finding.place.source))
    unset = (each for each in declared if not _is_set_behind(*each, lines))
    number, name = next(unset, declared[0] if declared else (0, ""))
    if not name:
        return finding
    own_index = rf"\b{name}\s*+(?:\[[^\]]{{0,80}}\]\s*+){{0,3}}?\[[^\]]{{0,80}}\bthreadIdx\b"
    if re.search(own_index, finding.place.source):
        return _not_shared(finding)
    what = f"{name} is declared in line {number} without a value, and line {finding.place.line} uses it"
    words = f"{what}: give it one where you declare it. What it holds is left to chance."
    return replace(finding, help=words)


def _declared_without_value(lines: Sequence[str], source: str) -> Iterator[tuple[int, str]]:
    """Line and name of each such declaration of a name in the source; the nearest one first."""
    used = set(re.findall(r"\w+", source))
    for number in range(len(lines), 0, -1):
        declared = _DECLARATION.match(lines[number - 1])
        parts = map(_WITHOUT_VALUE.fullmatch, declared[1].split(",")) if declared else ()
        yield from ((number, part[1]) for part in parts if part and part[1] in used)


def _is_set_behind(number: int, name: str, lines: Sequence[str]) -> bool:
    """Whether a line between the declaration and the use, which is the last one, gives it a value, or may do
    so: it takes the address, or hands the whole to a function or to a loop over its elements.
    """
    given = re.compile(
        rf"(?<![\w.]){name}{_SUBSCRIPT}{{0,3}}+\s*+=(?!=)"
        rf"|[(,=]\s*+&\s*+{name}\b"
        rf"|[(,:]\s*+{name}\s*+[,)]"
    )
    return any(given.search(line) for line in lines[number:-1])


def _of_accumulator(finding: Finding, name: str, lines: Sequence[str]) -> Finding:
    declared = re.compile(
        rf"\s*+[\w:]++(?:<[^;()]{{1,200}}>)?\s++(?:[^;()]{{0,200}},\s*+)?{name}\b[^;()]{{0,200}};"
    )
    number = next((at for at in range(len(lines), 0, -1) if declared.match(lines[at - 1])), None)
    where = f"is declared in line {number} without a value" if number else "has no value"
    words = (
        f"{name} {where}, and line {finding.place.line} adds products to it: set it first, "
        f"wmma::fill_fragment({name}, 0.0f). What it holds is left to chance."
    )
    return replace(finding, help=words)


def _not_shared(finding: Finding) -> Finding:
    words = (
        "Each thread has a copy of its own of this array, and sees nothing that others wrote into theirs: "
        "if the block is to share it, declare it __shared__."
    )
    return replace(finding, cause="not-shared", help=words)


def _passed(finding: Finding, writer: Place) -> Finding:
    """A thread that stores nothing where its neighbours do."""
    what = finding.memory.words if finding.memory and finding.memory.words else "that element"
    thread, left = formatting.index(writer.thread), finding.left
    who = f"Thread {thread} should have written {what} in line {writer.line}, by the pattern of the others"
    if left is None or not left.line:
        return replace(finding, cause="unwritten-by-one", help=f"{who}: look at what keeps it from there.")
    if _RETURN.search(left.source):
        remedy = "let every thread load and wait, and guard only the store of its own result"
        words = f"{who}, but it has returned in line {left.line}: {remedy}."
        return replace(finding, cause="returned-early", help=words)
    remedy = "let it store something there, too, 0 if nothing else, or let nobody read that place"
    words = f"{who}, but the condition in line {left.line} leads it past: {remedy}."
    return replace(finding, cause="unwritten-by-one", help=words)
