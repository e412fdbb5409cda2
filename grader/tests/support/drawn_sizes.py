"""Texts that give away the sizes which a course's secret draws."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from warpgrade.course import draws
from warpgrade.records import Lab, Size
from warpgrade.run import datasets

_TELLING = 100_000  # a single number below it also stands for other things
_NUMBERS = re.compile(r"[.,0-9][0-9.,x× ]*")


def pattern(lab: Lab, salt: str) -> re.Pattern[str]:
    """Matches each drawn size that differs from the one that everybody knows, however it is written."""
    known, drawn = set(_sizes(draws.public(lab))), _sizes(datasets.drawn(lab, salt))
    secret = {size for size in drawn if size not in known and (len(size) > 1 or size[0] >= _TELLING)}
    assert secret, f"{lab.name}: {salt!r} draws the sizes that everybody knows"
    return _any(_written(size) for size in sorted(secret))


def elements(lab: Lab, salt: str) -> re.Pattern[str]:
    """Matches the numbers of elements of drawn cases, as sentences write them."""
    secret = datasets.drawn(lab, salt).cases
    return _any(f"{math.prod(case.size):,}" for case in secret if case.drawn)


def numbers(text: str) -> str:
    """Only the numbers of a text and what may stand between those of one size.

    Patterns match the same there, and a program of a megabyte has few of them.
    """
    return "\n".join(_NUMBERS.findall(text))


def _any(texts: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\d.,])(?:{'|'.join(texts)})(?!\d)")


def _sizes(lab: Lab) -> list[Size]:
    timed = lab.performance
    return [*(case.size for case in lab.cases), *timed.sizes, *timed.gpu_sizes]


def _written(size: Size) -> str:
    return "(?:x| × |, )".join(f"(?:{each}|{each:,})" for each in size)
