"""Work of threads, of which only some items are begun or wait at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
Made = TypeVar("Made")
_AHEAD = 256  # a Future takes about 1.5 KB, and a class may have 100,000 of them


def as_completed(
    pool: Executor, work: Callable[[T], Made], items: Iterable[T], ahead: int = _AHEAD
) -> Iterator[Made]:
    """Results of `work` on each item, in the order of completion. At most `ahead` items are in the pool."""
    left = iter(items)
    waiting: set[Future[Made]] = {pool.submit(work, item) for item in islice(left, ahead)}
    while waiting:
        completed, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in completed:
            yield future.result()
            waiting.update(pool.submit(work, item) for item in islice(left, 1))
