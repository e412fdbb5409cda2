"""The counting loops of a source text: for (i = 0; i < n; i += step)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEAD = re.compile(
    r"\bfor\s*+\([^;(){}]{0,80}?\b(\w++)\s*+=[^;{}]{0,120};\s*+(\w++)\s*+(<=?)\s*+([^;{}]{1,120});([^;{}]{1,80}?)\)"
)
_NEAR = 20  # lines above the access in which its loops begin


@dataclass(frozen=True)
class CountingLoop:
    line: int
    variable: str
    last: bool  # whether it also takes the bound itself
    bound: str
    step: str  # what is added in each turn; "" where that is 1 or something else


def around(lines: list[str], number: int) -> Iterator[CountingLoop]:
    """The loops whose heads stand in this line or shortly above, the nearest first."""
    for at in range(number, max(number - _NEAR, 0), -1):
        for head in itertools.islice(_HEAD.finditer(lines[at - 1]), 3):
            variable, tested, sign, bound, change = head.groups()
            if variable == tested:
                step = re.search(rf"\b{variable}\s*+\+=\s*+([A-Za-z_]\w*+)\s*+$", change)
                yield CountingLoop(at, variable, sign == "<=", bound.strip(), step[1] if step else "")
