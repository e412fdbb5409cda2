"""The state of a GPU while something was timed on it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GpuState:
    """A GPU at one moment: MHz, degrees, watts."""

    clock: float  # of the SMs, MHz
    memory_clock: float  # MHz
    celsius: float  # of the GPU
    watts: float  # drawn by the GPU
    reasons: int  # bits of nvidia-smi's clocks_event_reasons
    processes: tuple[int, ...]  # that computed on it
    driver: str  # its version


@dataclass(frozen=True)
class Conditions:
    """A GPU before and after something was timed on it; None if nvidia-smi did not answer."""

    gpu: str  # its UUID, or empty
    before: GpuState | None  # the first launch
    after: GpuState | None  # the last launch

    def __str__(self) -> str:
        if self.before is None or self.after is None:
            return "nvidia-smi did not report the GPU's state"
        limited = self.before.reasons & 4 or self.after.reasons & 4
        return (
            f"{self.after.clock:,.0f} MHz after, {self.before.celsius:g} to {self.after.celsius:g} °C, "
            f"{'at its power limit' if limited else 'not throttled'}, no other process"
        )
