"""Rate, time left and what is running."""

from __future__ import annotations

import pytest

from warpgrade.grading.progress import Meter, Pace, duration, sentence


def test_a_meter_shows_what_is_done_and_running() -> None:
    paces: list[Pace] = []
    clock = iter(float(second) for second in range(100))
    meter = Meter(10, paces.append, lambda: next(clock))
    meter.begin("a")
    meter.begin("b")
    assert paces[-1] == Pace(0, 10, ("a", "b"))
    for name in ("a", "b", "c", "d"):
        meter.end(name)
    assert paces[-1] == Pace(4, 10, (), 1.0, 6.0)
    Meter(1, None).end("nobody listens")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (45, "45 s"), (190, "3 min 10 s"), (7500, "2 h 5 min"), (-1, "0 s")]
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_sentence() -> None:
    pace = Pace(412, 1000, ("alice 02-tiled",), 3.14, 187.0)
    assert sentence(pace) == "412 of 1,000 done, 3.1 a second, 3 min 7 s left; running: alice 02-tiled"
    assert sentence(Pace(0, 5)) == "0 of 5 done"
    of_labs = Pace(2, 5, ("02-tiled",), what="labs prepared")
    assert sentence(of_labs) == "2 of 5 labs prepared; running: 02-tiled"
    assert "left" not in sentence(Pace(5, 5, (), 1.0, 0.0))
