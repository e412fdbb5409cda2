"""Progress of a batch: what is done and running, how fast, and how long it will take."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

DONE = "done"  # what is counted, if nothing else is said
_WINDOW = 200  # jobs that the rate is computed from: those that were done before a restart end at once
_ENOUGH = 3  # finished jobs before a rate is shown


@dataclass(frozen=True)
class Pace:
    """`rate` (jobs a second) and `seconds_left` are None until enough jobs are done."""

    done: int
    total: int
    running: tuple[str, ...] = ()
    rate: float | None = None
    seconds_left: float | None = None
    what: str = DONE


Progress = Callable[[Pace], None]


class Meter:
    """Workers call begin() and end(); each call reports the pace to `progress`, one call at a time."""

    def __init__(
        self,
        total: int,
        progress: Progress | None,
        clock: Callable[[], float] = time.monotonic,
        what: str = DONE,
    ) -> None:
        self._total, self._progress, self._clock, self._what = total, progress, clock, what
        self._done = 0
        self._running: dict[str, None] = {}
        self._ends: deque[float] = deque([clock()], maxlen=_WINDOW)
        self._lock = threading.Lock()

    def begin(self, what: str) -> None:
        with self._lock:
            self._running[what] = None
            self._report()

    def end(self, what: str) -> None:
        with self._lock:
            self._running.pop(what, None)
            self._done += 1
            self._ends.append(self._clock())
            self._report()

    def _report(self) -> None:
        if self._progress:
            rate = self._rate()
            left = (self._total - self._done) / rate if rate else None
            self._progress(Pace(self._done, self._total, tuple(self._running), rate, left, self._what))

    def _rate(self) -> float | None:
        span = self._ends[-1] - self._ends[0]
        return (len(self._ends) - 1) / span if span > 0 and self._done >= _ENOUGH else None


def sentence(pace: Pace) -> str:
    """ "412 of 1,000 done, 3.1 a second, 3 min 10 s left; running: alice 05-scan"."""
    words = [f"{pace.done:,} of {pace.total:,} {pace.what}"]
    if pace.rate is not None:
        words.append(f"{pace.rate:.1f} a second")
    if pace.seconds_left is not None and pace.done < pace.total:
        words.append(f"{duration(pace.seconds_left)} left")
    running = f"; running: {', '.join(pace.running)}" if pace.running else ""
    return ", ".join(words) + running


def duration(seconds: float) -> str:
    """45 s, 3 min 10 s, 2 h 5 min."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
