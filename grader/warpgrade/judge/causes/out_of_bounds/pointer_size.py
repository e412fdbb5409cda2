"""Advice on an access outside memory that is as large as a pointer: cudaMalloc(&x, sizeof(x))."""

from __future__ import annotations

import re
from dataclasses import replace

from ....records import Finding

CAUSE = "size-of-a-pointer"
_POINTER = 8  # bytes


def advised(finding: Finding, text: str) -> Finding:
    """The finding with this cause; unchanged where no size of a pointer is asked for. `text`: the source
    without comments.
    """
    memory = finding.memory
    if finding.check != "memory" or memory is None or memory.allocation_bytes != _POINTER:
        return finding
    name = memory.array
    if not name or not re.search(rf"\bsizeof\s*+\(?\s*+{re.escape(name)}\s*+[),;]", text):
        return finding
    words = (
        f"{name} has {_POINTER} bytes, as many as a pointer: sizeof({name}) is the size of the pointer. "
        f"Ask for as many bytes as the elements have, n * sizeof(*{name})."
    )
    return replace(finding, cause=CAUSE, help=words)
