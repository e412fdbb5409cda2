"""A name that the compiler does not know and that is spelled like one of the file."""

from __future__ import annotations

import difflib
import re
from collections import Counter

from ..records import Diagnostic

_NAME = re.compile(r"[^\W\d]\w{2,60}+")
_MOST = 2000  # names of a file that are compared
_ALIKE = 0.75  # of 1


def remedy(message: Diagnostic, text: str) -> str:
    """The name that may be meant; "" where none is alike, or where the file has the quoted name elsewhere."""
    if message.severity != "error" or len(message.quoted) != 1 or not _NAME.fullmatch(message.quoted[0]):
        return ""
    (name,) = message.quoted
    counts = Counter(_NAME.findall(text))
    if counts.pop(name, 0) != len(re.findall(rf"\b{name}\b", message.source)):
        return ""
    alike = difflib.get_close_matches(name, list(counts)[:_MOST], 1, _ALIKE)
    return f"Did you mean {alike[0]}?" if alike else ""
