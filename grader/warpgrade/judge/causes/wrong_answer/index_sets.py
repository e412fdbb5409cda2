"""Sets of indices that belong to several elements of a result, in words: "0–31", "i", "i + 1–i + 4".

For each element there is one set. Where all sets follow from their elements' indices in the same way, one
text with the letters i, j, k describes all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

LETTERS = "ijklmn"
Ranges = tuple[tuple[int, ...], ...]  # each from its first to its last
_MOST_RANGES = 4  # that are listed
_MOST_PLAIN = 2
_NEAR = 1e-3  # of an integer, what rounding leaves of it
_FEWEST_STRIDE = 4  # indices at equal distances that are said to be every second, third, …
_GROUPS = tuple(1 << power for power in range(1, 11))  # sizes of groups of neighbours: warps, blocks
_FEWEST = 3  # elements that show more than a distance


def is_plain(ranges: Ranges) -> bool:
    """Whether the set is one that a loop or a guard makes: few ranges, or indices at equal distances."""
    return 0 < len(ranges) <= _MOST_PLAIN or _step(ranges) > 1 or _period(ranges) > 0


def single(ranges: Ranges) -> str:
    """The indices of one set: "0–31", "3", "0, 16", "every 2nd from 0 to 30"."""
    if (step := _step(ranges)) > 1:
        return f"every {_ordinal(step)} from {ranges[0][0]:,} to {ranges[-1][0]:,}"
    if period := _period(ranges):
        return f"{_span(*(f'{at:,}' for at in ranges[0]))} of every {period:,}"
    shown = [_span(f"{first:,}", f"{last:,}") for first, last in ranges[:_MOST_RANGES]]
    return ", ".join(shown) + (", …" if len(ranges) > _MOST_RANGES else "")


def common(sets: Sequence[Ranges], indices: Sequence[tuple[int, ...]], axis: int = 0) -> str:
    """One text for the sets of several elements with these indices; "" if there is none.

    `axis`: the dimension of the sets; most often they follow from the elements' index of the same one.
    """
    if len(set(sets)) == 1:
        return single(sets[0])
    if not all(sets):
        return ""
    steps = {_step(ranges) for ranges in sets}
    if len(steps) == 1 and (step := steps.pop()) > 1:
        first = _formula([ranges[0][0] for ranges in sets], indices, axis)
        last = _formula([ranges[-1][0] for ranges in sets], indices, axis)
        return f"every {_ordinal(step)} from {first} to {last}" if first and last else ""
    if len({len(ranges) for ranges in sets}) != 1 or len(sets[0]) > _MOST_RANGES:
        return ""
    parts = []
    for ranges in zip(*sets, strict=True):
        first = _formula([each[0] for each in ranges], indices, axis)
        last = _formula([each[1] for each in ranges], indices, axis)
        if not first or not last:
            return ""
        parts.append(_span(first, last))
    return " and ".join(parts)


def without(ranges: Ranges, others: Ranges) -> Ranges:
    """The indices of `ranges` that are not among the others."""
    left = list(ranges)
    for low, high in others:
        cut = [((first, min(last, low - 1)), (max(first, high + 1), last)) for first, last in left]
        left = [part for parts in cut for part in parts if part[0] <= part[1]]
    return tuple(dict.fromkeys(left))


def formula(amounts: Sequence[float], indices: Sequence[tuple[int, ...]]) -> str:
    """What all these amounts are, each for the element with these indices; "" where they are no integers or
    follow from the indices in no simple way. A single one shows nothing.
    """
    whole = [round(amount) for amount in amounts]
    near = all(abs(amount - each) < _NEAR for amount, each in zip(amounts, whole, strict=True))
    return _formula(whole, indices) if near and len(amounts) > 1 else ""


def size(ranges: Ranges) -> int:
    return sum(last - first + 1 for first, last in ranges)


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first}–{last}"


def _step(ranges: Ranges) -> int:
    """The distance of single indices that are equally far apart; 0 for any other set."""
    if len(ranges) < _FEWEST_STRIDE or any(first != last for first, last in ranges):
        return 0
    steps = {b[0] - a[0] for a, b in itertools.pairwise(ranges)}
    return steps.pop() if len(steps) == 1 else 0


def _period(ranges: Ranges) -> int:
    """The distance of ranges of one length that are equally far apart; 0 for any other set."""
    lengths = {last - first for first, last in ranges[:-1]}
    steps = {b[0] - a[0] for a, b in itertools.pairwise(ranges)}
    if len(ranges) < _FEWEST or len(lengths) != 1 or len(steps) != 1:
        return 0
    last = ranges[-1][1] - ranges[-1][0]
    return steps.pop() if 0 < last <= lengths.pop() else 0


def _ordinal(number: int) -> str:
    return f"{number}{ {2: 'nd', 3: 'rd'}.get(number, 'th') }"


def _formula(numbers: Sequence[int], indices: Sequence[tuple[int, ...]], axis: int = 0) -> str:
    """What all the numbers are, each for the element with these indices: "i + 1", "31 - j", or a constant."""
    if len(set(numbers)) == 1:
        return f"{numbers[0]:,}"
    rank = len(indices[0])
    axes = sorted(range(rank), key=lambda each: each != axis)  # the own one first
    for words, value in _candidates(axes, len(indices)):
        rests = {number - value(index) for number, index in zip(numbers, indices, strict=True)}
        if len(rests) == 1:
            return _sum(words, rests.pop())
    return ""


def _candidates(axes: Sequence[int], elements: int) -> Iterator[tuple[str, Callable[[tuple[int, ...]], int]]]:
    """The simplest first. Two elements alone fit too many of them."""
    for axis in axes:
        yield LETTERS[axis], lambda index, axis=axis: index[axis]  # type: ignore[misc]
    if elements < _FEWEST:
        return
    for axis in axes:
        letter = LETTERS[axis]
        yield f"-{letter}", lambda index, axis=axis: -index[axis]  # type: ignore[misc]
        yield f"2 * {letter}", lambda index, axis=axis: 2 * index[axis]  # type: ignore[misc]
        yield f"{letter} / 2", lambda index, axis=axis: index[axis] // 2  # type: ignore[misc]
    for axis, group in itertools.product(axes, _GROUPS):
        letter = LETTERS[axis]
        begin = f"{letter} / {group} * {group}"
        yield begin, lambda index, axis=axis, group=group: index[axis] // group * group  # type: ignore[misc]
        rest = f"{letter} % {group}"
        yield rest, lambda index, axis=axis, group=group: index[axis] % group  # type: ignore[misc]


def _sum(words: str, rest: int) -> str:
    if words.startswith("-"):
        return f"{rest:,} - {words[1:]}"
    if rest == 0:
        return words
    return f"{words} {'+' if rest > 0 else '-'} {abs(rest):,}"
