"""Few items are in a pool at a time, and none is forgotten."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from warpgrade.core.concurrency.bounded_work import as_completed


def test_every_item_once_and_few_ahead() -> None:
    taken, done = [0], [0]

    def items() -> Iterator[int]:
        for number in range(1000):
            taken[0] += 1
            assert taken[0] - done[0] <= 8
            yield number

    with ThreadPoolExecutor(3) as pool:
        found = []
        for made in as_completed(pool, lambda number: 2 * number, items(), ahead=8):
            done[0] += 1
            found.append(made)
    assert sorted(found) == list(range(0, 2000, 2))


def test_the_slow_one_comes_last() -> None:
    last = threading.Event()

    def work(number: int) -> int:
        if number == 0:
            assert last.wait(60)
        return number

    with ThreadPoolExecutor(2) as pool:
        found = []
        for made in as_completed(pool, work, range(5), ahead=5):
            found.append(made)
            if len(found) == 4:
                last.set()
    assert found[-1] == 0 and sorted(found) == list(range(5))


def test_nothing_to_do() -> None:
    with ThreadPoolExecutor(2) as pool:
        assert list(as_completed(pool, str, [])) == []


def test_an_error_is_raised_while_others_still_work() -> None:
    is_over = threading.Event()

    def work(number: int) -> None:
        if number == 1:
            raise ValueError("one")
        is_over.wait(60)

    with ThreadPoolExecutor(2) as pool:
        begun = time.monotonic()
        with pytest.raises(ValueError, match="one"):
            list(as_completed(pool, work, range(2)))
        is_over.set()
        assert time.monotonic() - begun < 50
