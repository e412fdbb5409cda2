"""Advice on a shared array of one dimension that is filled with rows of one length and read with another."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from ....records import Finding
from .. import places

CAUSE = "two-pitches"
_LESS = ("", "unwritten-by-one", "partly-filled", "never-filled")  # causes that say less
_ARRAY = re.compile(r"\b__shared__\s++[^;(){}\[\]]{0,80}?(\w++)\s*+\[[^;\[\]]{1,80}\]\s*+;")
_SET = re.compile(r"\s*+=(?!=)")
# `row * 32 +`, `row * (SIDE + 1) +`: the length of a row
_PITCH = re.compile(r"\*\s*+(\w++|\([\w\s+]{1,40}\))\s*+\+")
_GROUP = re.compile(r"(\*\s*+)?\([^()]{0,80}\)")
_MOST = 20  # arrays, and uses of each


def advised(finding: Finding, text: str) -> Finding:
    """The finding with advice; unchanged where the rows are of one length. `text`: without comments."""
    memory = finding.memory
    if memory is None or memory.space != "shared" or finding.check != "init":
        return finding
    words = _of_array(memory.array, text) if memory.allocation else ""
    return replace(finding, cause=CAUSE, help=words) if words and (finding.cause or "") in _LESS else finding


def of_any(text: str) -> str:
    """Advice on the first such array; else ""."""
    names = (found[1] for found in itertools.islice(_ARRAY.finditer(text), _MOST))
    return next(filter(None, (_of_array(name, text) for name in names)), "")


def filled_by(name: str, text: str) -> int | None:
    """How many elements apart rows begin where the array is filled, if all its stores say the same."""
    found = {places.value_of(each, text, {}) for each in _pitches(name, text, is_set=True)}
    return found.pop() if len(found) == 1 else None


def _of_array(name: str, text: str) -> str:
    filled, read = set(_pitches(name, text, is_set=True)), set(_pitches(name, text, is_set=False))
    if len(filled) != 1 or len(read) != 1:
        return ""
    (one,), (other,) = filled, read
    sizes = [places.value_of(each, text, {}) for each in (one, other)]
    if None in sizes or sizes[0] == sizes[1]:
        return ""
    return (
        f"{name} is filled with rows of {one} elements, and read as if a row had {other}: an element is at "
        "row * length + column, with one length wherever it is stored or read."
    )


def _pitches(name: str, text: str, *, is_set: bool) -> Iterator[str]:
    """What rows are multiplied by in the indices of stores, or of reads."""
    part = r"(?:\[[^\[\];=]{1,60}\]\s*+)*"  # of an array of several tiles
    uses = re.finditer(rf"(?<![\w.>]){re.escape(name)}\s*+{part}\[([^\[\];=]{{1,120}})\]", text)
    for use in itertools.islice(uses, _MOST):
        # Products in brackets say no row's length, unless something is multiplied by the brackets.
        outside = _GROUP.sub(lambda group: group[0] if group[1] else "", use[1])
        pitch = _PITCH.search(outside)
        if pitch and (_SET.match(text, use.end()) is not None) == is_set:
            yield pitch[1].strip("()").strip()
