"""The state of a GPU during a timing, from nvidia-smi, and whether the timing is valid.

Student and reference alternate within one process, so a slow GPU affects both alike. A timing is not valid if
the GPU changed its clock in between because of heat or power, or if another process used it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.errors import GraderError
from ..records import Conditions, GpuState
from ..sandbox import process
from .devices import Device

_QUERY = (
    "clocks.sm", "clocks.mem", "temperature.gpu", "power.draw", "clocks_event_reasons.active",
    "driver_version",
)  # fmt: skip
_SECONDS = process.ResourceLimits(seconds=20)
# Bits of clocks_event_reasons that make a timing invalid (nvml.h, nvmlClocksEventReason…). The others mean
# idle, settings, or the power limit, which a GPU under load may reach.
_SLOWED = {
    0x08: "slowed down by hardware", 0x20: "slowed down by heat", 0x40: "slowed down by heat (hardware)",
    0x80: "slowed down by the power supply",
}  # fmt: skip
_POWER_LIMIT = 0x04


def read(device: Device | None) -> GpuState | None:
    """The current state; None if nvidia-smi fails."""
    which = ["-i", device.uuid or str(device.number)] if device else []
    row = ask([*which, f"--query-gpu={','.join(_QUERY)}"])
    if row is None:
        return None
    apps = ask([*which, "--query-compute-apps=pid"])
    return parsed(row, apps or "")


def ask(arguments: Sequence[str]) -> str | None:
    """The output of nvidia-smi, values without units; None if it is missing or fails."""
    command = ["nvidia-smi", *arguments, "--format=csv,noheader,nounits"]
    try:
        outcome = process.run_trusted(command, {}, _SECONDS)
    except GraderError:
        return None
    return outcome.stdout if outcome.status == 0 else None


def parsed(row: str, apps: str = "") -> GpuState | None:
    """The state from the first row of _QUERY and the list of processes. None if the row is malformed."""
    words = [word.strip() for word in row.splitlines()[0].split(",")] if row.strip() else []
    if len(words) != len(_QUERY):
        return None
    reasons = int(words[4], 16) if words[4].startswith("0x") else 0
    processes = tuple(int(word) for word in apps.split() if word.isdigit())
    clock, memory, celsius, watts = map(_number, words[:4])
    return GpuState(clock, memory, celsius, watts, reasons, processes, words[5])


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:  # "[N/A]"
        return 0.0


def unfit(conditions: Conditions) -> str:
    """Why a timing under these conditions is not valid; empty if it is."""
    for state in (conditions.before, conditions.after):
        if state is None:
            continue
        for bit, words in _SLOWED.items():
            if state.reasons & bit:
                return f"it was {words} at {state.celsius:g} °C"
        if state.processes:
            return f"another process used it (pid {', '.join(map(str, state.processes))})"
    return ""
