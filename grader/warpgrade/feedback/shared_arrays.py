"""The shared arrays that a source text declares, for a block that wants more shared memory than there is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..core import formatting
from ..judge.causes import places
from ..judge.causes.source_text import bare
from ..records import Submission
from ..tables.hardware import FLOAT

_MOST_NAMED = 3


class _DeclaredArray(NamedTuple):
    name: str
    line: int
    bytes: int


def advice(submission: Submission | None, most: int) -> str:
    """Which arrays take how much, and how many floats a block may have; "" where no size is known."""
    found = [array for file in submission.files for array in _arrays(bare(file.text))] if submission else []
    large = sorted(found, key=lambda array: -array.bytes)[:_MOST_NAMED]
    if not large:
        return ""
    each = [f"{array.name} in line {array.line} takes {array.bytes:,} bytes" for array in large]
    floats = most // FLOAT
    side = math.isqrt(floats)
    return f"{formatting.listed(each)}; {most:,} bytes are {floats:,} floats, or {side} × {side} of them."


def _arrays(text: str) -> Iterator[_DeclaredArray]:
    for name, size in places.declared_sizes(text):
        declared = re.search(rf"\b__shared__\b[^;]{{0,400}}?\b{name}\s*+\[", text)
        if declared:
            yield _DeclaredArray(name, text.count("\n", 0, declared.end()) + 1, size)
