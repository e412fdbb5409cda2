"""Powers and shares of the model of time: those that leave the least error in measured times.

Other constants follow from single measurements (staff/gpu_rates.py) or change what a launch's machine code
is thought to execute (`l2_idle`, `l2_busy`, `bank_conflict`): these stay as they are.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..gpu.spec import GpuSpec
from ..records import Launch, Occupancy
from . import model

FITTED = ("overlap", "waiting_overlap", "blocks_overlap", "few_warps", "last_round", "reached")
_SHARES = frozenset({"last_round", "reached"})  # at most 1
_STEPS = (0.2, 0.1, 0.05, 0.02)  # relative; finer ones would fit noise
_ROUNDS = 8  # of each step


@dataclass(frozen=True)
class TimedLaunch:
    """A launch with its machine code's mix, as the emulator counted it, and the time that a GPU took."""

    launch: Launch
    once: float  # bytes that it transfers at least
    occupancy: Occupancy
    milliseconds: float


def mean_error(timed: Sequence[TimedLaunch], gpu: GpuSpec) -> float:
    """Mean error of the modelled times, relative."""
    times = (model.time_of(each.launch, each.once, gpu, each.occupancy, alone=True) for each in timed)
    return statistics.mean(
        abs(time.milliseconds / each.milliseconds - 1) for time, each in zip(times, timed, strict=True)
    )


def fit(timed: Sequence[TimedLaunch], gpu: GpuSpec) -> dict[str, float]:
    """The constants by name: one after the other is moved as long as that makes the error smaller."""
    found = {name: float(getattr(gpu.fitted, name)) for name in FITTED}
    least = mean_error(timed, gpu)
    for step in _STEPS:
        for _ in range(_ROUNDS):
            before = least
            for name in FITTED:
                for factor in (1 + step, 1 - step):
                    moved = found | {name: _within(name, found[name] * factor)}
                    error = mean_error(timed, with_constants(gpu, moved))
                    if error < least:
                        found, least = moved, error
            if least == before:
                break
    return {name: round(value, 3) for name, value in found.items()}


def _within(name: str, value: float) -> float:
    return min(1.0, value) if name in _SHARES else value


def with_constants(gpu: GpuSpec, found: Mapping[str, float]) -> GpuSpec:
    changed: dict[str, Any] = dict(found)
    return replace(gpu, fitted=replace(gpu.fitted, **changed))
