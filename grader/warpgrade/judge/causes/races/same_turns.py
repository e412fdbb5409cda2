"""Advice on a race of threads that all run one loop from its first turn to its last: each of them stores what
the loop's variable says, and nothing tells the threads apart. Or of blocks that nothing tells apart.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

from ....records import Finding, Place
from .. import block_area, counting_loops, forgotten_block

CAUSE = "loop-by-all-threads"
_LESS = ("", "shared-element", block_area.ELSEWHERE)  # causes that say less
_KINDS = ("global-race", "global-race-same-value")
_STORED = re.compile(r"(?<![\w.>])(\w++\s*+\[[^\[\];]{1,200})\]\s*+(?:[-+*/|&^]?=(?!=)|\+\+|--)")
_ASSIGNED = re.compile(r"\b(\w++)\s*+(?:[-+*/%]|<<|>>)?=(?!=)([^;={}]{1,200})[;,]")
_MOST, _DEEP = 200, 4  # assignments that are looked at, and how far a name is followed


def advised(finding: Finding, text: str) -> Finding:
    """The finding with advice; unchanged where it is another race. `text`: the file without comments."""
    place, other, lines = finding.place, finding.other, text.split("\n")
    if finding.kind not in _KINDS or (finding.cause or "") not in _LESS or other is None:
        return finding
    if place.block != other.block and (words := forgotten_block.advice(text, finding.kernel)):
        return replace(finding, cause=forgotten_block.CAUSE, help=words)
    if finding.cause == block_area.ELSEWHERE:
        return finding
    if place.line != other.line or not 1 <= place.line <= len(lines):
        return finding
    apart = _apart(place, other)
    stored = _STORED.search(lines[place.line - 1])
    if not apart or stored is None:
        return finding
    used = set(re.findall(r"[^\W\d]\w*", stored[1]))
    if used & _depending(apart, text) or any(term in stored[1] for term in apart):
        return finding
    loop = next((each for each in counting_loops.around(lines, place.line) if each.variable in used), None)
    if loop is None:
        return finding
    term = apart[0]
    words = (
        f"Threads that differ in {term} all run the loop in line {loop.line} from its first turn "
        f"to its last, so that each element is stored by all of them. Take {loop.variable} from {term} in "
        "place of the loop, or let the threads share its turns; if one thread is to do all of it, let only "
        "that one."
    )
    return replace(finding, cause=CAUSE, help=words)


def _apart(place: Place, other: Place) -> tuple[str, ...]:
    """What tells the two threads apart: "threadIdx.x"."""
    within = place.block == other.block
    one, two = (place.thread, other.thread) if within else (place.block, other.block)
    name = "threadIdx" if within else "blockIdx"
    return tuple(f"{name}.{axis}" for axis, i, j in zip("xyz", one, two, strict=False) if i != j)


def _depending(terms: tuple[str, ...], text: str) -> set[str]:
    """Names whose values come from one of the terms, also through other names."""
    found = set(terms)
    given = list(itertools.islice(_ASSIGNED.finditer(text), _MOST))
    for _ in range(_DEEP):
        for each in given:
            if any(re.search(rf"\b{re.escape(term)}\b", each[2]) for term in found):
                found.add(each[1])
    return found
