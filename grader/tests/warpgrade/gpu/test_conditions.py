"""Was the GPU fit for timing? From what nvidia-smi said on an H200, and from what it says in trouble."""

from __future__ import annotations

import pytest

from warpgrade.gpu import conditions
from warpgrade.records import Conditions, GpuState

CALM = "1980, 3201, 41, 193.02, 0x0000000000000000, 580.159.04\n"


def state(reasons: int = 0, processes: tuple[int, ...] = ()) -> GpuState:
    return GpuState(1980.0, 3201.0, 41.0, 193.02, reasons, processes, "580.159.04")


def test_what_nvidia_smi_says() -> None:
    assert conditions.parsed(CALM) == state()
    assert conditions.parsed(CALM.replace("0000, 580", "0004, 580"), "4711\n12\n") == state(4, (4711, 12))
    assert conditions.parsed(CALM, "4711\n12\n", ours={12}) == state(0, (4711,))
    assert conditions.parsed("[N/A], 3201, 41, [N/A], [N/A], 580.159.04\n") == GpuState(
        0.0, 3201.0, 41.0, 0.0, 0, (), "580.159.04"
    )


@pytest.mark.parametrize("text", ["", "No devices were found\n", "1980, 3201\n"])
def test_what_is_no_answer(text: str) -> None:
    assert conditions.parsed(text) is None


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (state(), state(), ""),
        (state(0x1), state(0x4), ""),  # idle before, at its power limit afterwards: the usual course
        (None, None, ""),
        (state(), state(0x20), "heat"),
        (state(0x40), state(), "heat"),
        (state(), state(0x80), "power supply"),
        (state(processes=(4711,)), state(), "another process"),
    ],
)
def test_fit_or_not(before: GpuState | None, after: GpuState | None, why: str) -> None:
    reason = conditions.unfit(Conditions("GPU-0", before, after))
    assert why in reason
    assert bool(why) == bool(reason)


def test_conditions_are_one_line() -> None:
    line = str(Conditions("GPU-0", state(), state(4)))
    assert line == "1,980 MHz after, 41 to 41 °C, at its power limit, no other process"
