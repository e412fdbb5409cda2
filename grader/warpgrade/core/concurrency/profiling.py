"""The time of a batch by kind of work, summed over all workers. It is part of no result."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_lock = threading.Lock()
_seconds: dict[str, float] = {}
_times: dict[str, int] = {}
_of_commands = [0.0]


@dataclass(frozen=True)
class StageTime:
    what: str
    times: int
    seconds: float  # wall time, summed over workers


@contextmanager
def lap(what: str) -> Iterator[None]:
    """Add the wall time of the `with` block to that kind of work."""
    begun = time.perf_counter()
    try:
        yield
    finally:
        spent = time.perf_counter() - begun
        with _lock:
            _seconds[what] = _seconds.get(what, 0.0) + spent
            _times[what] = _times.get(what, 0) + 1


def rows() -> list[StageTime]:
    """The most expensive kind first."""
    with _lock:
        found = [StageTime(what, _times[what], seconds) for what, seconds in _seconds.items()]
    return sorted(found, key=lambda row: -row.seconds)


def clear() -> None:
    with _lock:
        _of_commands[0] = 0.0
        _seconds.clear()
        _times.clear()


def spent(seconds: float) -> None:
    """Add the processor time of a command. os.times() lacks it: bwrap does not wait for its processes."""
    with _lock:
        _of_commands[0] += seconds


def processor_seconds() -> tuple[float, float]:
    """Processor time of this process, and a lower bound for that of its commands."""
    own = os.times()
    return own.user + own.system, _of_commands[0]
