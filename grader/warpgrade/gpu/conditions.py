"""In what state a GPU was when something was timed on it, as nvidia-smi tells; and whether that was fit.

Student and reference take turns within one process, so a slow card is fair to both. What is not: a card
that changes its clock in between because it is hot or short of power, or another process on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.errors import GraderError
from ..records import CardState, Conditions
from ..sandbox import process
from .devices import Device

_QUERY = (
    "clocks.sm", "clocks.mem", "temperature.gpu", "power.draw", "clocks_event_reasons.active",
    "driver_version",
)  # fmt: skip
_SECONDS = process.ResourceLimits(seconds=20)
# Bits of clocks_event_reasons that mean trouble (nvml.h, nvmlClocksEventReason…); others are idle, settings
# or the power limit that a card under load may touch.
_TROUBLE = {
    0x08: "slowed down by hardware", 0x20: "slowed down by heat", 0x40: "slowed down by heat (hardware)",
    0x80: "slowed down by the power supply",
}  # fmt: skip
_POWER_LIMIT = 0x04


def read(card: Device | None) -> CardState | None:
    """Now; None where nvidia-smi does not answer."""
    which = ["-i", card.uuid or str(card.number)] if card else []
    told = ask([*which, f"--query-gpu={','.join(_QUERY)}"])
    if told is None:
        return None
    apps = ask([*which, "--query-compute-apps=pid"])
    return parsed(told, apps or "")


def ask(arguments: Sequence[str]) -> str | None:
    """What nvidia-smi answers, values without units; None where it is not there or fails."""
    command = ["nvidia-smi", *arguments, "--format=csv,noheader,nounits"]
    try:
        outcome = process.run_trusted(command, {}, _SECONDS)
    except GraderError:
        return None
    return outcome.stdout if outcome.status == 0 else None


def parsed(row: str, apps: str = "") -> CardState | None:
    """nvidia-smi's first row of _QUERY, and its list of processes. None where it is not of that shape."""
    words = [word.strip() for word in row.splitlines()[0].split(",")] if row.strip() else []
    if len(words) != len(_QUERY):
        return None
    reasons = int(words[4], 16) if words[4].startswith("0x") else 0
    processes = tuple(int(word) for word in apps.split() if word.isdigit())
    clock, memory, celsius, watts = map(_number, words[:4])
    return CardState(clock, memory, celsius, watts, reasons, processes, words[5])


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:  # "[N/A]"
        return 0.0


def unfit(conditions: Conditions) -> str:
    """Why what was measured must not count; empty where it may."""
    for state in (conditions.before, conditions.after):
        if state is None:
            continue
        for bit, words in _TROUBLE.items():
            if state.reasons & bit:
                return f"it was {words} at {state.celsius:g} °C"
        if state.processes:
            return f"another process used it (pid {', '.join(map(str, state.processes))})"
    return ""
