"""A thread ends where its own processor time does; others, and waiting, are left alone."""

from __future__ import annotations

import threading
import time

import pytest

from warpgrade.core.concurrency import ceiling


def work(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_a_thread_that_works_too_long() -> None:
    ended = []

    def busy() -> None:
        with pytest.raises(ceiling.Exceeded), ceiling.own_time(0.2):
            try:
                work(60)
            except Exception:  # does not take it
                ended.append("swallowed")
        ended.append("stopped")

    thread = threading.Thread(target=busy)
    thread.start()
    with ceiling.own_time(30):
        work(0.3)
    thread.join()
    assert ended == ["stopped"]


def test_waiting_does_not_count() -> None:
    with ceiling.own_time(0.2):
        time.sleep(1)


def test_what_comes_after_is_not_bounded() -> None:
    with ceiling.own_time(0.1):
        pass
    work(0.6)
    with pytest.raises(ceiling.Exceeded), ceiling.own_time(0.1):
        work(60)
    work(0.6)
