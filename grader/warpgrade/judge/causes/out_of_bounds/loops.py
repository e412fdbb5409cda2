"""Loops that lead an access out of its array: a step counts twice, or the bound is not the array's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ....core import formatting
from ....records import Case, Finding
from .. import counting_loops, places
from ..counting_loops import CountingLoop

CAUSE, TWICE = "loop-too-far", "step-counted-twice"
_LESS = ("", "outside-the-array")  # causes that say less
_CODES = ("WG101", "WG102")
_AXES = ("plane", "row", "column")


def advised(finding: Finding, text: str, case: Case) -> Finding:
    """The finding with advice on a loop around it; unchanged where none is at fault. `text`: the source
    without comments.
    """
    memory, lines = finding.memory, text.split("\n")
    number = finding.place.line
    if (
        finding.code not in _CODES
        or (finding.cause or "") not in _LESS
        or memory is None
        or not 1 <= number <= len(lines)
    ):
        return finding
    loops, line = list(counting_loops.around(lines, number)), lines[number - 1]
    for loop in loops:
        factor = rf"(?:\b{loop.variable}\s*+\*\s*+{loop.step}\b|\b{loop.step}\s*+\*\s*+{loop.variable}\b)"
        if loop.step and re.search(factor, line):
            return replace(finding, cause=TWICE, help=_twice(loop))
    if memory.relation != "after":
        return finding
    if words := _last_turn(memory.array, line, lines, loops):
        return replace(finding, cause=CAUSE, help=words)
    if memory.space != "shared":
        return finding
    array = places.array_type(memory, text, None, None)
    name = memory.array
    words = _too_far(name, array.shape, line, loops, text, case.parameters) if array else ""
    return replace(finding, cause=CAUSE, help=words) if words else finding


def _last_turn(name: str, line: str, lines: list[str], loops: list[CountingLoop]) -> str:
    """Advice where a loop from 0 also takes its bound, and its variable is a part of the index; else ""."""
    element = re.search(rf"\b{re.escape(name)}\s*+\[([^\[\];]{{1,120}})\]", line)
    for loop in loops if element else ():
        begins = re.search(rf"\b{loop.variable}\s*+=\s*+0\s*+[;,]", lines[loop.line - 1])
        is_part = element and re.search(rf"\b{loop.variable}\b", element[1]) and element[1] != loop.variable
        if loop.last and begins and is_part and not re.search(r"-\s*+1\b", loop.bound):
            return (
                f"The loop in line {loop.line} begins at 0 and has a turn for {loop.variable} = {loop.bound}"
                f", one too many, which goes beyond {name}: end it at {loop.variable} < {loop.bound}."
            )
    return ""


def _twice(loop: CountingLoop) -> str:
    return (
        f"{loop.variable} grows by {loop.step} in each turn of the loop in line {loop.line}, and this index "
        f"multiplies it by {loop.step} again. Let it grow by 1, or leave the product out."
    )


def _too_far(name: str, shape: tuple[int, ...], line: str, loops: list[CountingLoop], text: str,
             parameters: Mapping[str, int]) -> str:  # fmt: skip
    """Advice where the variable of a loop is an index of the array and goes on behind its last; else ""."""
    element = re.search(rf"\b{re.escape(name)}\s*+((?:\[[^\[\];]{{1,80}}\]\s*+){{1,3}})", line)
    indices = re.findall(r"\[([^\[\]]+)\]", element[1]) if element else []
    for index, extent, axis in zip(indices, shape, _AXES[-len(shape) :] if len(shape) > 1 else ("element",),
                                   strict=False):  # fmt: skip
        loop = next((each for each in loops if each.variable == index.strip()), None)
        end = places.value_of(loop.bound, text, parameters) if loop else None
        if loop and end is not None and end + loop.last > extent:
            ends = ("up to " if loop.last else "to below ") + loop.bound
            value = "" if loop.bound == str(end) else f", which is {end:,} here"
            return (
                f"The loop in line {loop.line} lets {loop.variable} run {ends}{value}, and {name} has "
                f"{formatting.amount(extent, axis)}: end the loop there."
            )
    return ""
