"""Do something again and again while something else is done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def every(seconds: float, call: Callable[[], None]) -> Iterator[None]:
    """Call it at this interval, in a thread of its own, until the block ends; no call outlasts the block."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            call()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
