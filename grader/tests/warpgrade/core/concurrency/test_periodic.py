"""A call is repeated while a block runs, and not after it."""

from __future__ import annotations

import threading
import time

import pytest

from warpgrade.core.concurrency.periodic import every


def test_it_is_called_until_the_block_ends() -> None:
    calls: list[int] = []
    twice = threading.Event()

    def call() -> None:
        calls.append(1)
        if len(calls) == 2:
            twice.set()

    with every(0.001, call):
        assert twice.wait(60)
    number = len(calls)
    time.sleep(0.02)
    assert len(calls) == number


def test_an_error_of_the_block_ends_it_too() -> None:
    before = set(threading.enumerate())
    with pytest.raises(KeyError), every(60, lambda: None):
        assert set(threading.enumerate()) > before
        raise KeyError
    assert set(threading.enumerate()) <= before
