"""The state of a GPU during a timing, from nvidia-smi, and whether the timing is valid.

Student and reference alternate within one process, so a slow GPU affects both alike. A timing is not valid if
the GPU changed its clock in between because of heat or power, or if another process used it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from ..core.errors import GraderError
from ..records import Conditions, GpuState
from ..sandbox import process, usage
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
    """The current state; None if nvidia-smi fails. Its processes are those that this one has not started:
    submissions of one class wait for their turns on a GPU side by side.
    """
    which = ["-i", device.uuid or str(device.number)] if device else []
    row = ask([*which, f"--query-gpu={','.join(_QUERY)}"])
    if row is None:
        return None
    before = set(usage.descendants(os.getpid()))
    apps = ask([*which, "--query-compute-apps=pid"])
    return parsed(row, apps or "", before | set(usage.descendants(os.getpid())))


def least_memory(gpus: Sequence[Device]) -> int:
    """Bytes of device memory of the smallest of these GPUs; 0 where nvidia-smi does not tell."""
    which = [f"-i={','.join(gpu.uuid or str(gpu.number) for gpu in gpus)}"] if gpus else []
    rows = (ask([*which, "--query-gpu=memory.total"]) or "").split() if gpus else []
    return min((int(row) << 20 for row in rows if row.isdigit()), default=0)


def ask(arguments: Sequence[str]) -> str | None:
    """The output of nvidia-smi, values without units; None if it is missing or fails."""
    command = ["nvidia-smi", *arguments, "--format=csv,noheader,nounits"]
    try:
        outcome = process.run_trusted(command, {}, _SECONDS)
    except GraderError:
        return None
    return outcome.stdout if outcome.status == 0 else None


def parsed(row: str, apps: str = "", ours: Collection[int] = ()) -> GpuState | None:
    """The state from the first row of _QUERY and the list of processes without ours. None if the row is
    malformed.
    """
    words = [word.strip() for word in row.splitlines()[0].split(",")] if row.strip() else []
    if len(words) != len(_QUERY):
        return None
    reasons = int(words[4], 16) if words[4].startswith("0x") else 0
    listed = (int(word) for word in apps.split() if word.isdigit())
    processes = tuple(number for number in listed if number not in ours)
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
