"""Advice where a condition with a constant keeps threads from the last elements of an array."""

from __future__ import annotations

import itertools
import re

from ....records import Wrong
from .. import places

CAUSE = "bound-leaves-the-rest"
_PATTERNS = ("unchanged", "never-written", "last-left-out")
_CONDITION = re.compile(r"\bif\s*+\(\s*+([\w.\s+*]{1,60}?)\s*+<\s*+(\w{1,40})\s*+\)")
_MOST = 50  # conditions that are looked at


def advice(wrong: Wrong, kernel: str, text: str) -> str:
    """Advice on the condition whose constant is the number of elements before the first wrong one, if all
    from there on are wrong; else "". `kernel`: the kernel's part of the text, which has no comments.
    """
    first = wrong.index[0]
    is_rest = len(wrong.shape) == 1 and first > 0 and first + wrong.count == wrong.total
    if wrong.pattern not in _PATTERNS or not is_rest:
        return ""
    for found in itertools.islice(_CONDITION.finditer(kernel), _MOST):
        if places.value_of(found[2], text, {}) == first:
            return (
                f"if ({found[1].strip()} < {found[2]}) lets {first:,} pass, and nobody else comes to "
                f"{wrong.array}[{first}] and those behind it: let a loop go on to them, or more threads pass."
            )
    return ""
