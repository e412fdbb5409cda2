"""Time by kind of work, also from several workers at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from warpgrade.core.concurrency import profiling


def test_laps_add_up() -> None:
    profiling.clear()

    def work(number: int) -> None:
        with profiling.lap("even" if number % 2 == 0 else "odd"):
            pass

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(100)))
    assert {row.what: row.times for row in profiling.rows()} == {"even": 50, "odd": 50}
    assert all(row.seconds >= 0 for row in profiling.rows())


def test_a_lap_that_fails_counts() -> None:
    profiling.clear()
    with pytest.raises(ValueError, match="no"), profiling.lap("failing"):
        raise ValueError("no")
    assert [row.times for row in profiling.rows()] == [1]
    profiling.spent(1.5)
    profiling.spent(2)
    own, commands = profiling.processor_seconds()
    assert own > 0 and commands == 3.5
