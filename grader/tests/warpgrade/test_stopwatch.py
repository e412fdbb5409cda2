"""Time by kind of work, also from several workers at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from warpgrade import stopwatch


def test_laps_add_up() -> None:
    stopwatch.clear()

    def work(number: int) -> None:
        with stopwatch.lap("even" if number % 2 == 0 else "odd"):
            pass

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(100)))
    assert {row.what: row.times for row in stopwatch.rows()} == {"even": 50, "odd": 50}
    assert all(row.seconds >= 0 for row in stopwatch.rows())


def test_a_lap_that_fails_counts() -> None:
    stopwatch.clear()
    with pytest.raises(ValueError, match="no"), stopwatch.lap("failing"):
        raise ValueError("no")
    assert [row.times for row in stopwatch.rows()] == [1]
    stopwatch.spent(1.5)
    stopwatch.spent(2)
    own, commands = stopwatch.processor_seconds()
    assert own > 0 and commands == 3.5
