"""Advice on a null pointer that stands before an array of pointers: the index is a negative remainder."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

from ....records import Finding

CAUSE = "negative-remainder"
_KIND = "null-pointer"
_REMAINDER = re.compile(r"\(\s*+(\w++)\s*+-\s*+\d{1,6}\s*+\)\s*+%\s*+(\w++)")
_MOST = 50


def advised(finding: Finding, text: str) -> Finding:
    """The finding with advice; unchanged where it is no null pointer. `text`: the source without comments."""
    if finding.kind != _KIND or finding.cause:
        return finding
    for found in itertools.islice(_REMAINDER.finditer(text), _MOST):
        begin = 1 + max(text.rfind(sign, 0, found.start()) for sign in ";{},")
        if "?" in text[begin : found.start()]:
            continue  # chosen by a condition
        words = (
            f"{found[0]} is negative where {found[1]} is 0, as a remainder has the sign of what is divided: "
            f"an array of pointers has none there. Treat the first one by itself, or add {found[2]} first."
        )
        return replace(finding, cause=CAUSE, help=words)
    return finding
