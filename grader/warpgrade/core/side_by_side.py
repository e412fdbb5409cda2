"""Two sorted sequences, such as a class before and after a grading, gone through together."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import TypeVar

T = TypeVar("T")


def side_by_side(
    old: Iterable[T], new: Iterable[T], key: Callable[[T], str]
) -> Iterator[tuple[T | None, T | None]]:
    """Pairs of items with the same key; None for the one that is missing. Both must be sorted by the key.

    Holds one pair at a time, so neither sequence has to fit in memory.
    """
    both = heapq.merge(
        ((key(item), 0, item) for item in old), ((key(item), 1, item) for item in new), key=itemgetter(0, 1)
    )
    for _, group in itertools.groupby(both, key=itemgetter(0)):
        found: list[T | None] = [None, None]
        for _, side, item in group:
            found[side] = item
        yield found[0], found[1]
