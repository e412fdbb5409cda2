"""A bound on the processor time that a thread of the grader spends on one submission; commands do not count.

A watcher reads each thread's clock and has the thread raise Exceeded at its next step of Python. A regular
expression's search is one step, so patterns on students' text must take linear time of themselves.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 60.0  # of processor time; a submission takes less than one
_PAUSE = 0.2  # seconds between two looks at the clocks
_lock = threading.Lock()
_ends: dict[int, float] = {}  # by thread: its processor time at which it must end
_watcher: list[threading.Thread] = []


class Exceeded(BaseException):
    """A BaseException, so that no handler of Exception on the way catches it."""


@contextmanager
def own_time(seconds: float = 0.0) -> Iterator[None]:
    """Raise Exceeded in the block once this thread has spent that much processor time; 0: SECONDS."""
    thread = threading.get_ident()
    with _lock:
        _ends[thread] = time.thread_time() + (seconds or SECONDS)
        if not _watcher or not _watcher[0].is_alive():
            _watcher[:] = [threading.Thread(target=_watch, daemon=True)]
            _watcher[0].start()
    try:
        yield
    finally:
        with _lock:
            if _ends.pop(thread, None) is None:  # it may wait to be raised in a thread that has left
                _raise_in(thread, None)


def _watch() -> None:
    while True:
        time.sleep(_PAUSE)
        with _lock:
            for thread, end in list(_ends.items()):
                if time.clock_gettime(time.pthread_getcpuclockid(thread)) > end:
                    del _ends[thread]
                    _raise_in(thread, Exceeded)
            if not _ends:
                _watcher.clear()
                return


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Make a thread raise the error at its next step; None takes that back. The caller holds the lock."""
    what = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
