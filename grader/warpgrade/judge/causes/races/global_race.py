"""Advice on a race in global memory, by what its two sides are.

Where each element is one thread's, two threads that write one come to the same index by mistake: an atomic or
a second launch would only hide that.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from ....records import Case, Finding, Lab, LaunchShape, Memory, Place
from ....tables.hardware import WARP
from .. import block_area
from ..out_of_bounds import row_width

_KINDS = ("global-race", "global-race-same-value")
_MATRIX = 2  # dimensions

_BETWEEN_BLOCKS = (
    "The blocks of a launch run in no order. Read in a second launch what this one writes, or hand it over: "
    "the writer calls __threadfence() after its store and then says by an atomic that it is there; the "
    "reader calls __threadfence() after it has seen that, and then reads."
)
# The emulator's name of a load that reads at once what another block writes by two stores.
_TORN = "torn-words"
# A load whose value is used only behind the wait for a flag, and which is made before that.
_EARLY = "early-read"
_BEHIND = (
    "What is read before the flag is seen may be the old value, whatever the flag says then: put the read "
    "behind the loop that waits."
)
_IN_ONE = (
    "Nothing makes two stores one: pack what belongs together into one word and store that, or store the "
    "flag last, with __threadfence() between the two stores."
)
_BY_ALL_BLOCKS = (
    "Each block writes {}, and which of the values stays is left to chance. Let only the block write that "
    "knows the right one, or let atomics join what all of them have. If each block has elements of its own, "
    "look at the width of a row in the index."
)
_OVERLAPPING = (
    "Lines {} and {} both take {}. Where a kernel takes its elements in two parts, as whole groups and a "
    "rest, the second part begins where the first one ends: look at how the index is made in both lines."
)
_ONE_SIDE = (
    "One of the two accesses is volatile, and the other is not: the compiler may make a plain one earlier, "
    "later or only once. Let both go through a volatile pointer, or use atomics."
)


def advised(
    finding: Finding,
    grows: bool,
    lab: Lab | None = None,
    case: Case | None = None,
    shape: LaunchShape | None = None,
    text: str = "",
) -> Finding:
    """The finding with advice that fits; unchanged where it is another kind of finding.

    `grows`: the array has more elements where the case is larger, as if each were one thread's. `text`: the
    source without comments.
    """
    place, other, memory = finding.place, finding.other, finding.memory
    if finding.cause == _TORN:
        return replace(finding, help=_IN_ONE)
    if finding.cause == _EARLY:
        return replace(finding, help=_BEHIND)
    if finding.kind not in _KINDS or finding.cause or other is None or memory is None:
        return finding
    accesses = {place.access, other.access}
    is_one_line = (place.file, place.line) == (other.file, other.line)
    both_write = accesses == {"write"} and is_one_line
    if both_write and (foreign := block_area.foreign_place(finding, lab, case, shape)):
        return replace(finding, cause=foreign.cause, message=foreign.title, help=foreign.words)
    if accesses == {"write"} and is_one_line and (words := _of_warps(finding, shape)):
        return replace(finding, cause="result-of-each-warp", help=words)
    if accesses == {"write"} and grows and is_one_line:
        words = _of_row(place, memory, lab, case, text) or _of_one(finding, lab)
        return replace(finding, cause="shared-element", help=words)
    if accesses == {"write"} and is_one_line and place.block != other.block and not grows:
        words = _BY_ALL_BLOCKS.format(memory.words or "it")
        return replace(finding, cause="written-by-all-blocks", help=words)
    if grows and not is_one_line and any(_updates(each, memory) for each in (place, other)):
        first, second = sorted((place.line, other.line))
        words = _OVERLAPPING.format(first, second, memory.words or "the same element")
        return replace(finding, cause="parts-overlap", help=words)
    reader = place if place.access == "read" else other
    is_fenced = "__threadfence" in text or "volatile" not in reader.source
    one_side = ("volatile" in place.source) != ("volatile" in other.source)
    if accesses == {"read", "write"} and one_side and is_fenced:
        return replace(finding, cause="one-side-volatile", help=_ONE_SIDE)
    if accesses == {"read", "write"} and place.block != other.block:
        return replace(finding, help=_BETWEEN_BLOCKS)
    return finding


def _of_warps(finding: Finding, shape: LaunchShape | None) -> str:
    """Advice where the first lanes of two warps write one element; else ""."""
    place, other = finding.place, finding.other
    if shape is None or other is None or place.block != other.block or math.prod(shape.threads[1:]) > 1:
        return ""
    (warp, lane), (other_warp, other_lane) = (divmod(each.thread[0], WARP) for each in (place, other))
    if lane or other_lane or warp == other_warp:
        return ""
    place_words = (finding.memory and finding.memory.words) or "one element"
    return (
        f"Lane 0 of warp {warp} and of warp {other_warp} both write {place_words}, and which of the "
        "two stays is left to chance. Where each warp has a part of the result: let its lane 0 put that into "
        "shared memory, at the warp's number, wait at __syncthreads(), and let one warp join the parts and "
        "store."
    )


def _updates(place: Place, memory: Memory) -> bool:
    """Whether the line makes an element of what it held: y[i] += …, or y[i] = … y[i]"""
    element = rf"\b{re.escape(memory.allocation)}\s*+\[[^\[\];]{{1,200}}+\]\s*+"
    made = re.search(rf"{element}(?:[-+*/|&^]=|=(?!=)(?P<of>[^;]*+))", place.source)
    return made is not None and (made["of"] is None or re.search(element, made["of"]) is not None)


def _of_row(place: Place, memory: Memory, lab: Lab | None, case: Case | None, text: str) -> str:
    """Advice where the index multiplies by another size than the width of a row; else ""."""
    declared = next((each for each in lab.arrays if each.name == memory.allocation), None) if lab else None
    if declared is None or case is None:
        return ""
    size = f"{memory.allocation} has {' × '.join(declared.extents)} elements"
    words = row_width.advice(place.source, text, memory.allocation, size, declared.extents, case)
    return words and f"Several threads write {memory.words or 'one element'}. {words}"


def _of_one(finding: Finding, lab: Lab | None) -> str:
    memory, other = finding.memory, finding.other
    assert memory is not None and other is not None
    declared = next((each for each in lab.arrays if each.name == memory.allocation), None) if lab else None
    width = ""
    if declared and len(declared.extents) >= _MATRIX:
        width = f", and at the width of a row in it, which is {declared.extents[-1]} for {memory.allocation}"
    if declared and len(declared.extents) > _MATRIX:
        width += f"; a plane has {declared.extents[-2]} × {declared.extents[-1]} elements"
    words = (
        f"Several threads write {memory.words or 'one element'}. If each element is one thread's, they must "
        f"not come to the same index: look at how it is made from blockIdx, blockDim and threadIdx{width}."
    )
    if finding.place.block == other.block:
        words += " If it is one block's, let one thread write it: if (threadIdx.x == 0)."
    return words
