"""Advice on an access outside an array whose index was read from another array."""

from __future__ import annotations

import re
from dataclasses import replace

from ....records import Case, Finding, Lab
from .. import places

CAUSE = "index-was-read"
_CODES = ("WG101", "WG102")
_LESS = ("", "outside-the-array", "outside-the-result")  # causes that say less
_NAMED = re.compile(r"\[\s*+([A-Za-z_]\w*+)\s*+\]")
_NESTED = re.compile(r"\[\s*+([A-Za-z_]\w*+)\s*+\[[^\[\]]{1,120}\]\s*+\]")
_ELEMENT = r"(?<![\w.]){}\s*+=(?!=)\s*+([A-Za-z_]\w*+)\s*+\[[^;{{}}]{{1,160}}\]\s*+[,;]"


def advised(finding: Finding, text: str, lab: Lab, case: Case) -> Finding:
    """The finding with advice on the array that the index came from; unchanged where it came from none.
    `text`: the source without comments.
    """
    memory = finding.memory
    if finding.code not in _CODES or (finding.cause or "") not in _LESS or memory is None:
        return finding
    name = memory.array
    source = _origin(name, finding.place.source, text)
    array = places.array_type(memory, text, lab, case)
    if not source or array is None or len(array.shape) != 1 or memory.relation not in ("before", "after"):
        return finding
    at = memory.distance + (memory.allocation_bytes if memory.relation == "after" else 0)
    number = f"{at // array.element:,}".replace("-", "−")
    words = (
        f"The index into {name} is {number}, a value that this thread has read from {source}, and {name} has "
        f"{array.shape[0]:,} elements. Does {source} hold marks that are no index? Leave those out. If not, "
        f"look at the place of {source} that is read."
    )
    return replace(finding, cause=CAUSE, help=words)


def _origin(name: str, line: str, text: str) -> str:
    """The array whose element is the index into `name` in this line; "" if that is not clear."""
    accessed = line.rpartition(f"{name}[")[1:] if name else ("", "")
    index = "".join(accessed)[len(name) :]
    if nested := _NESTED.match(index):
        return nested[1]
    named = _NAMED.match(index)
    found = set(re.findall(_ELEMENT.format(named[1]), text)) if named else set()
    return found.pop() if len(found) == 1 else ""
