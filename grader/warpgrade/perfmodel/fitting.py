"""Fits the powers and shares of the model to measured times, for the least mean error.

Other constants are left alone: some follow from single measurements (staff/gpu_rates.py), others decide how
long a warp's machine code takes by itself (`l2_idle`, `l2_busy`, `bank_conflict`).
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
    """A launch as the emulator counted it, with its instruction mix, and the time that a GPU took for it."""

    launch: Launch
    once: float  # least number of bytes that it transfers
    occupancy: Occupancy
    milliseconds: float


def mean_error(timed: Sequence[TimedLaunch], gpu: GpuSpec) -> float:
    """Mean error of the modelled times, relative."""
    times = (model.time_of(each.launch, each.once, gpu, each.occupancy, alone=True) for each in timed)
    return statistics.mean(
        abs(time.milliseconds / each.milliseconds - 1) for time, each in zip(times, timed, strict=True)
    )


def fit(timed: Sequence[TimedLaunch], gpu: GpuSpec) -> dict[str, float]:
    """The constants by name, by coordinate descent: each in turn is moved while that lowers the error."""
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
