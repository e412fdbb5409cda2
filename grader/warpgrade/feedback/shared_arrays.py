"""The shared arrays that a source text declares, for a block that wants more shared memory than there is."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..core import formatting
from ..course.expressions import ExpressionError, NoValue, parse
from ..judge.causes.source_text import bare
from ..records import Submission

_DECLARED = re.compile(
    r"\b__shared__\s++(?:alignas\(\d{1,4}\)\s*+)?(\w++)\s++(\w++)((?:\s*+\[[^;\[\]]{1,80}\]){1,4})\s*+;"
)
_CONSTANT = re.compile(
    r"(?:\bconstexpr\s++(?:int|unsigned|size_t)\s++(\w++)\s*+=|#define\s++(\w++)\s)([^;\n]{1,80})"
)
_BYTES = {"char": 1, "int8_t": 1, "half": 2, "__half": 2, "short": 2, "int": 4, "unsigned": 4, "float": 4,
          "float2": 8, "double": 8, "float4": 16}  # fmt: skip
_MOST = 100  # declarations of each kind


@dataclass(frozen=True)
class _DeclaredArray:
    name: str
    line: int
    bytes: int


def advice(submission: Submission | None, most: int) -> str:
    """Which arrays take how much, and how many floats a block may have; "" where no size is known."""
    found = [array for file in submission.files for array in _arrays(bare(file.text))] if submission else []
    large = sorted(found, key=lambda array: -array.bytes)[:3]
    if not large:
        return ""
    each = [f"{array.name} in line {array.line} takes {array.bytes:,} bytes" for array in large]
    square = math.isqrt(most // 4)
    fits = f"{most:,} bytes are {most // 4:,} floats, or {square} × {square} of them"
    return f"{formatting.listed(each)}; {fits}."


def _arrays(text: str) -> Iterator[_DeclaredArray]:
    values = _constants(text)
    for declared in itertools.islice(_DECLARED.finditer(text), _MOST):
        size = _BYTES.get(declared[1], 0)
        for extent in re.findall(r"\[([^\]]*)\]", declared[3]):
            size *= int(_value(extent, values) or 0)
        if size:
            yield _DeclaredArray(declared[2], text.count("\n", 0, declared.start()) + 1, size)


def _constants(text: str) -> Mapping[str, int]:
    values: dict[str, int] = {}
    for given in itertools.islice(_CONSTANT.finditer(text), _MOST):
        if (value := _value(given[3], values)) is not None:
            values[given[1] or given[2]] = value
    return values


def _value(text: str, values: Mapping[str, int]) -> int | None:
    """The value of a constant expression; None where it is more than numbers, names and arithmetic."""
    try:
        return int(parse(text.replace("/", "//").strip()).value(values))
    except (ExpressionError, NoValue, KeyError, OverflowError, ValueError):
        return None
