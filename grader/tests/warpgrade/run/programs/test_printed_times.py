"""Which printed numbers are a time that the runtime returned, and which are only guesses."""

from __future__ import annotations

import pytest

from warpgrade.run.programs.printed_times import are_guessed, is_printed, numbers_in

TENTHS = " ".join(f"{i / 10:.1f}" for i in range(1, 51))
NEARBY = " ".join(f"{0.3 * 1.02**i:.6f}" for i in range(-25, 25))  # a list around what the host measured


@pytest.mark.parametrize(
    ("text", "time", "counts"),
    [
        ("1000 elements in 0.123 ms", 0.123, True),
        ("took 123 us", 0.123, True),
        ("host: 0.1 ms, device: 0.2 ms", 0.2, True),
        ("device 0, 132 SMs, 9.0, 143771 MB: 25 pieces of 8192, 3 streams, 0.31 ms, 7.6 GB/s", 0.31, True),
        ("0.1", 0.3, False),
        (TENTHS, 0.06, False),
        (TENTHS, 0.3, False),
        (TENTHS, 4.8, False),
        (NEARBY, 0.31, False),
    ],
)
def test_a_printed_time(text: str, time: float, counts: bool) -> None:
    numbers = numbers_in(text)
    assert (is_printed(time, numbers) and not are_guessed([time], [time], numbers)) == counts


def test_many_times_that_were_asked_for_are_no_guesses() -> None:
    times = [0.1 * 1.05**i for i in range(40)]
    numbers = numbers_in(" ".join(f"{time:.4f}" for time in times))
    assert all(is_printed(time, numbers) for time in times)
    assert not are_guessed(times, times, numbers)
