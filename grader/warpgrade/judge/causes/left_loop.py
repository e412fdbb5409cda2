"""Advice on a barrier that threads pass by, as a statement above it leads them out of the loop or kernel."""

from __future__ import annotations

import re
from dataclasses import replace

from ...records import Finding

_KINDS = ("barrier-divergent", "barrier-partial-warp")
_FAR = 20  # lines between the place where ways part and the barrier
_AWAY = re.compile(r"\b(break|continue|return)\s*+;")


def advised(finding: Finding, text: str) -> Finding:
    """The finding with advice; unchanged where no statement leads away. `text`: the file without comments."""
    barrier, parting = finding.place, finding.other
    if finding.kind not in _KINDS or finding.cause or parting is None or barrier.file != parting.file:
        return finding
    if not 1 <= parting.line <= barrier.line <= parting.line + _FAR:
        return finding
    between = text.split("\n")[parting.line - 1 : barrier.line - 1]
    found = ((number, _AWAY.search(line)) for number, line in enumerate(between, parting.line))
    number, statement = next(((at, each[1]) for at, each in found if each), (0, ""))
    if not statement:
        return finding
    words = (
        f"The {statement} in line {number} leads some threads past the barrier in line {barrier.line}, where "
        "the others wait: let all threads go on to it, and put a condition around each access instead."
    )
    return replace(finding, help=words)
