"""The labels of timed launches."""

from __future__ import annotations

from dataclasses import replace

from warpgrade.records import Launch
from warpgrade.run import timed_launch


def test_names() -> None:
    assert timed_launch.size_name((256, 128, 64)) == "256x128x64"


def test_size_of_a_timed_launch() -> None:
    launch = Launch("time/64x32x16/student", "k", (), (), {})
    assert timed_launch.size_of(launch) == (64, 32, 16)
    assert timed_launch.size_of(replace(launch, label="64x32x16-integers")) is None
