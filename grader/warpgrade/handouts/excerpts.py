"""The definitions of a kernel's file that a planted bug changes, instead of the whole file."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

_MOST = 40  # lines of a definition that is shown whole
_AROUND = 12  # lines before and behind the change in a longer one
_LEFT_OUT = "// …"


def changed(wrong: str, right: str) -> str:
    """The definitions at the top level of `wrong` that differ from those of `right`."""
    lines, before = wrong.splitlines(), right.splitlines()
    changes = [
        range(first, max(last, first + 1))
        for kind, _, _, first, last in difflib.SequenceMatcher(None, before, lines, False).get_opcodes()
        if kind != "equal"
    ]
    parts = []
    for first, last in _definitions(lines):
        own = [at for each in changes for at in each if first <= at < last]
        if own:
            parts.append(_shortened(lines, first, last, own[0], own[-1]))
    return "\n\n".join(parts) + "\n" if parts else wrong


def _definitions(lines: Sequence[str]) -> list[tuple[int, int]]:
    """First line, and the one behind the last, of each part between empty lines at the top level."""
    found, depth, first = [], 0, 0
    for at, line in enumerate(lines):
        if not line.strip() and depth == 0:
            found.append((first, at))
            first = at + 1
        code = line.partition("//")[0]
        depth += code.count("{") - code.count("}")
    return [*found, (first, len(lines))]


def _shortened(lines: Sequence[str], first: int, last: int, begin: int, end: int) -> str:
    if last - first <= _MOST:
        return "\n".join(lines[first:last])
    top, bottom = max(first, begin - _AROUND), min(last, end + 1 + _AROUND)
    head = [lines[first], _LEFT_OUT] if top > first else []
    return "\n".join([*head, *lines[top:bottom], *([_LEFT_OUT] if bottom < last else [])])
