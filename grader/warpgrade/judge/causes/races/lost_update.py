"""Advice on a race between two updates of one word: x[i] += 1 is three steps, not one."""

from __future__ import annotations

import re
from dataclasses import replace

from ....records import Finding

CAUSE = "lost-update"
# A name and its indices, of which one may hold another. Possessive: a text that repeats takes linear time.
UPDATE = re.compile(
    r"(?<![\w.>-])([\w.>-]++\s*(?:\[(?:[^\[\];=]|\[[^\[\];=]{0,80}\]){1,80}+\])++)\s*(?:\+\+|--|[-+*/|&^]=)"
)


def advised(finding: Finding, grows: bool = False) -> Finding:
    """The finding with advice to update by an atomic; unchanged where the race is no such one.

    `grows`: the array has more elements where the case is larger, as if each were one thread's.
    """
    if finding.check != "race" or not finding.update:
        return finding
    found = UPDATE.search(finding.place.source)
    place = finding.memory.words if finding.memory else ""
    what = found[1] if found else place or "the element"
    if grows:
        return replace(finding, cause="shared-element", help=_of_one(what))
    return replace(finding, cause=CAUSE, help=by_atomic(what, found[1] if found else "element"))


def by_atomic(what: str, element: str) -> str:
    """Advice for an update of the element, which is called `what`."""
    return (
        f"Many threads update {what}: each reads it, adds, writes it back, and what comes between is lost. "
        f"Let atomicAdd(&{element}, …) do it in one step, or a loop of atomicCAS that tries again until "
        "nobody came between; a barrier does not help."
    )


def _of_one(what: str) -> str:
    return (
        f"Several threads update {what}, and what comes between is lost. If each element is one thread's, "
        "they must not come to the same index: look at how it is computed from blockIdx, blockDim and "
        "threadIdx, and at the step of a loop. Only if many are to add to one element, let "
        f"atomicAdd(&{what if '[' in what else 'element'}, …) do it in one step."
    )
