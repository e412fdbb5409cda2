"""Checks whether a number that a program printed is a time that the runtime returned to it."""

from __future__ import annotations

import bisect
import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...records import ProgramRun

_WORD = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_MOST_NUMBERS = 50  # of a program's output: more would be guesses
_LONGEST_WORD = 100  # characters
_DIGITS = 0.01  # of a printed time
_UNITS = (1.0, 1e3, 1e-3)  # milliseconds, microseconds, seconds
_FACTORS = (0.1, 0.5, 2.0, 10.0)  # range of the nearby values that are tried
_PROBES = 32  # of such times
_FEWEST_GUESSES = 4  # from this many on, numbers near a time are no accident


def is_printed(milliseconds: float, numbers: Sequence[Number]) -> bool:
    """Whether one of the numbers is the time, in a usual unit and rounded."""
    return any(number.is_time(milliseconds) for number in numbers)


def are_guessed(times: Sequence[float], printed: Sequence[float], numbers: Sequence[Number]) -> bool:
    """Whether the program seems to print many numbers in the hope of matching a time. For each measured time,
    nearby values are tried: half of them are among the printed numbers that match no measured time.
    """
    known = sorted(times)
    others = [number for number in numbers if not number.is_one_of(known)]
    return all(
        any(_is_beside_guesses(each, factor, others) for factor in _FACTORS)
        for each in printed[:_MOST_NUMBERS]
    )


def _is_beside_guesses(time: float, factor: float, numbers: Sequence[Number]) -> bool:
    probes = [time * factor ** (i / _PROBES) for i in range(1, _PROBES + 1)]
    near = [number for number in numbers if any(map(number.is_time, probes))]
    return len(near) >= _FEWEST_GUESSES and 2 * sum(is_printed(each, near) for each in probes) > _PROBES


@dataclass(frozen=True)
class Number:
    """A number that a program printed: the times that it may be, to its last decimal or to one percent."""

    least: float
    most: float

    def is_time(self, milliseconds: float) -> bool:
        return any(self.least <= milliseconds * unit <= self.most for unit in _UNITS)

    def is_one_of(self, times: Sequence[float]) -> bool:
        """Whether it is one of these times, which are in order."""
        return any(
            bisect.bisect_left(times, self.least / unit) < bisect.bisect_right(times, self.most / unit)
            for unit in _UNITS
        )


def numbers_in(text: str) -> list[Number]:
    """The first numbers in the text. A longer word is no time."""
    words = itertools.islice(_WORD.finditer(text), _MOST_NUMBERS)
    return [_number(word[0][:_LONGEST_WORD]) for word in words]


def _number(word: str) -> Number:
    decimals = len(word.partition("e")[0].partition(".")[2])
    last_digit = 0.51 * 10**-decimals if decimals else 0.0
    value = float(word)
    if value <= 0:
        return Number(math.inf, -math.inf)
    return Number(
        min(value - last_digit, value / (1 + _DIGITS)), max(value + last_digit, value / (1 - _DIGITS))
    )


def printed(run: ProgramRun) -> str:
    """The program's output. If the program measured a time, numbers are left out: they differ between runs,
    and the record must be the same for the same submission.
    """
    timed = any(call.function == "cudaEventElapsedTime" for call in run.calls)
    return _WORD.sub("…", run.printed) if timed else run.printed
