"""Causes of a wrong answer beyond its pattern: the launch shape, and a result that does not start at zero."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....core import formatting
from ....records import LaunchShape, Submission, Wrong
from .. import forgotten_block, tickets
from ..block_area import called
from ..out_of_bounds import matrix_rows
from ..source_text import block_end, code, given
from . import early_bound, statements, tile_pitch, unshared

_WHOLE = re.compile(r"(?<!\()\b(?:int|unsigned|long)\s+(\w+)\s*=\s*0\s*;")
_WHOLE_TILE = re.compile(r"\b__shared__\s+(?:int|unsigned|long)\s+(\w+)\s*\[")
# value = __shfl_down_sync(mask, value, half);
_SHUFFLE_ASSIGNED = re.compile(
    r"(?<![\w.>])(\w++)\s*+=\s*+(__shfl_(?:down|up|xor)_sync)\s*+\([^,;]{1,80}+,\s*+\1\s*+,"
)
# The second argument, where that is a variable: atomicCAS(place, seen, wanted)
_SEEN = re.compile(r"\batomicCAS\s*+\([^,;]{1,80},\s*+([^\W\d]\w*+)\s*+,")
_READ_THROUGH = r"(?:[^=;]*[-+*/(])?\s*\*\s*[A-Za-z_]"  # += *a * *b
_RETURN = re.compile(r"\breturn\s*+;")
_MOST_NAMES = 20
_LONGEST = 20000  # characters of a kernel
_OPERATORS = ("-", "+", "*", "/")


@dataclass(frozen=True)
class Doubt:
    """A cause that explains the wrong elements, and what to do."""

    cause: str  # "result-not-zero"
    words: str


def doubts(wrong: Wrong, shape: LaunchShape | None, submission: Submission | None) -> Iterator[Doubt]:
    """Causes that explain the wrong elements; usually none."""
    text = code(submission)
    is_nan = str(wrong.got).lower().lstrip("-") == "nan"
    name = wrong.array
    # With beta, the result is an input, too.
    if is_nan and _is_read(name, text) and not re.search(r"\bbeta\b", text):
        words = (
            f"{name} does not begin as zero: sum in a variable of your own that begins as 0, and write "
            f"{name} once."
        )
        yield Doubt("result-not-zero", words)
    is_rounded = wrong.pattern == "zeros" and isinstance(wrong.expected, float)
    whole = _whole_sum(_without_others(text, wrong.kernel)) if is_rounded else ""
    if whole:
        yield Doubt(
            "truncated", f"{whole} holds integers: what is put there loses its fraction. Make it a float."
        )
    yield from _of_calls(wrong, text)
    yield from _of_statements(wrong, text)
    if (own := unshared.in_any(submission)) is not None:
        yield Doubt(unshared.CAUSE, own.words)
    if wrong.pattern == "blocks-never-written" and shape is not None:
        words = forgotten_block.advice(text, wrong.kernel or "") or _no_block_there(wrong, shape)
        yield Doubt("blocks-elsewhere", words)
    partly = wrong.pattern == "never-written" and wrong.count < wrong.total
    if partly and _returns_before_a_barrier(_kernel(text, wrong.kernel)):
        words = (
            f"A thread that returns early writes none of its elements of {name}: let all threads go on past "
            "the barrier, and put a condition around each access instead."
        )
        yield Doubt("returned-early", words)
    elif partly and shape is not None and shape.threads_per_block < shape.outputs_per_block:
        each = shape.outputs_per_block / shape.threads_per_block
        words = (
            f"{called(shape)}: a block has {shape.threads_per_block:,} threads for "
            f"{shape.outputs_per_block:,} elements of {name}. Does each thread write {each:g} of them?"
        )
        yield Doubt("too-few-threads", words)


def _of_calls(wrong: Wrong, text: str) -> Iterator[Doubt]:
    """What the arguments or the result of a call are taken for."""
    if words := matrix_rows.in_shared(text):
        yield Doubt(matrix_rows.CAUSE, words)
    if (
        wrong.pattern == "never-written"
        and wrong.count == wrong.total
        and (words := tickets.never_last(text))
    ):
        yield Doubt(tickets.NEVER_LAST, words)
    replaced = _SHUFFLE_ASSIGNED.search(text) if wrong.pattern in ("zeros", "all", "") else None
    if replaced:
        words = (
            f"{replaced[1]} = {replaced[2]}(…, {replaced[1]}, …) replaces what the lane had by what it gets: "
            "to join the two, write += or what else joins them."
        )
        yield Doubt("shuffle-assigned", words)
    if wrong.pattern == "unchanged" and _is_swapped(wrong.array, text):
        words = (
            "atomicCAS(place, seen, wanted) writes `wanted` only where `seen` stands: the second argument is "
            "what the thread has read there, the third one what is to stand there."
        )
        yield Doubt("swap-never-made", words)


def _of_statements(wrong: Wrong, text: str) -> Iterator[Doubt]:
    kernel = _kernel(text, wrong.kernel) if wrong.kernel else text
    if wrong.pattern in ("unchanged", "never-written") and (
        words := statements.not_stored(wrong.array, kernel)
    ):
        yield Doubt(statements.NOT_STORED, words)
    if (
        wrong.pattern == "zeros"
        and isinstance(wrong.expected, float)
        and (words := statements.quotient(kernel))
    ):
        yield Doubt(statements.QUOTIENT, words)
    # Where blocks disturb one another, what is drawn may be the number of a block's part, too.
    is_alone = wrong.pattern == "blocks-together"
    if (is_alone or wrong.pattern in ("displaced", "repeated")) and (
        words := statements.drawn(wrong.array, kernel, is_alone=is_alone)
    ):
        yield Doubt(statements.DRAWN, words)
    if words := statements.compared(wrong.array, text):
        yield Doubt(statements.COMPARED, words)
    if words := early_bound.advice(wrong, kernel, text):
        yield Doubt(early_bound.CAUSE, words)
    if words := tile_pitch.of_any(text):
        yield Doubt(tile_pitch.CAUSE, words)


def _is_swapped(array: str, text: str) -> bool:
    """Whether an atomicCAS may be what should have updated the array: no other function has to do with it."""
    if any(re.search(rf"\b{seen}\s*+=\s*+[*\w]++\s*+[\[;]", text) for seen in _SEEN.findall(text)):
        return False  # what is expected has been read
    is_named = re.search(rf"\b{re.escape(array)}\b", text) is not None
    return "atomicCAS" in text and (not is_named or array in given("atomicCAS", text))


def _returns_before_a_barrier(text: str) -> bool:
    first = _RETURN.search(text)
    return first is not None and "__syncthreads" in text[first.end() :]


def _kernel(text: str, name: str | None) -> str:
    """The text from the kernel's name to the next kernel; from the first kernel on without a name."""
    kernels = text.split("__global__")[1:]
    if name is None:
        return "".join(kernels[:1])
    return next((each for each in kernels if re.search(rf"\b{re.escape(name)}\s*\(", each)), "")


def _without_others(text: str, name: str | None) -> str:
    """The text without the bodies of other kernels than the one of that name; all of it where none has it."""
    first, *kernels = text.split("__global__")
    own = [bool(name) and re.search(rf"\b{re.escape(name or '')}\s*\(", each) is not None for each in kernels]
    if not any(own):
        return text
    rest = (each[block_end(each, each.find("{") + 1, _LONGEST) :] for each in kernels)
    return first + "".join(
        each if is_own else end for each, is_own, end in zip(kernels, own, rest, strict=True)
    )


def _no_block_there(wrong: Wrong, shape: LaunchShape) -> str:
    """What a block's number counts, where no block has come to some of its elements."""
    along = ("element",) if len(wrong.cells_shape) == 1 else ("column", "row", "plane")
    counted = " and ".join(
        f"each step of blockIdx.{axis} is {formatting.amount(side, what)}"
        for axis, side, what in zip("xyz", shape.outputs, along, strict=False)
    )
    return (
        f"No block writes there, though enough are launched. By {called(shape)}, {counted} of {wrong.array}: "
        "look at how a block's first element is computed, at who returns, and at which extents the guard of "
        "the store compares with."
    )


def _whole_sum(text: str) -> str:
    """The name of an integer that begins as 0 and that an array's elements are added to, or else of a shared
    array of integers; "" without one.
    """
    for name in _WHOLE.findall(text)[:_MOST_NAMES]:
        if re.search(rf"\b{re.escape(name)}\s*\+=(?:[^=;]*\[|{_READ_THROUGH})", text):
            return str(name)
    tile = None if re.search(r"\b__shared__\s+float\b", text) else _WHOLE_TILE.search(text)
    return tile[1] if tile else ""


def _is_read(name: str, text: str) -> bool:
    """Whether the text reads the array: C[…] += …, atomicAdd(&C[…], …), or C[…] to the right of an operator.

    The text is split once, as a pattern that looks for the end of a statement from each C[ takes quadratic
    time.
    """
    element = rf"{re.escape(name)}\s*\["
    if re.search(rf"[=+*/(&-]\s*{element}", text):
        return True
    for part in text.replace(";", ";=").split("="):  # what stands before an =, or before a ;
        target = part[:-1].rstrip() if part.endswith(_OPERATORS) else ""
        if target.endswith("]") and re.search(rf"\b{element}", target):
            return True
    return False


def covering(wrong: Wrong, shapes: Sequence[LaunchShape]) -> LaunchShape | None:
    """The launch whose blocks cover the wrong array, or None: its blocks own the first wrong element."""
    if wrong.block is None or wrong.first is None:
        return None
    if wrong.kernel:
        return next((shape for shape in shapes if shape.kernel == wrong.kernel), None)
    fit = [
        shape
        for shape in shapes
        if shape.blocks is None
        and len(shape.outputs) <= len(wrong.cells_shape)
        and all(
            block * side == first
            for block, side, first in zip(
                wrong.block,
                (*shape.outputs, 1, 1),
                reversed(wrong.first[: len(wrong.cells_shape)]),
                strict=False,
            )
        )
    ]
    return fit[-1] if fit else None  # of several kernels, the last one writes the result
