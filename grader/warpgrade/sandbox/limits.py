"""Resource limits of a command, and whether it exceeds them."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

from . import disk
from .usage import Usage

_MIB = 1 << 20
_OPEN_FILES = 4096
_MOST_PATIENCE = 30  # times the limit of processor time: wall time after which the machine is too busy


@dataclass(frozen=True)
class ResourceLimits:
    """Limits on one command and all its descendants.

    `seconds` is processor time, so that the load of the machine does not matter. A command that is idle ends
    after `patience` times as much wall time, not counting the time in which it waited for a core. A command
    that never got its processor time is a GraderError.
    """

    seconds: float
    memory_bytes: int | None = 4096 * _MIB  # resident, the sum over all processes
    address_bytes: int | None = 4096 * _MIB  # of each process; None: unlimited (CUDA reserves much)
    file_bytes: int = 256 * _MIB  # of each file
    disk_bytes: int = 1024 * _MIB  # of all files in the working folder, and those without a name
    processes: int = 512
    output_bytes: int = 1 * _MIB  # of each stream
    drain: bool = False  # discard output beyond output_bytes instead of ending the command
    patience: float = 3.0


class Excess(enum.Enum):
    """The limit for which a command was killed."""

    TIME = enum.auto()
    MEMORY = enum.auto()
    FLOOD = enum.auto()
    DISK = enum.auto()
    STARVED = enum.auto()


def rlimits(prlimit: str, limits: ResourceLimits, others: int = 0) -> list[str]:
    """The words before a command that set the rlimits of each of its processes.

    They act at once, whereas the sampling of the process tree may be late. `others`: other processes of the
    same user, which the kernel counts together with the command's.
    """
    words = [
        prlimit,
        "--core=0",
        f"--fsize={limits.file_bytes}",
        f"--nproc={limits.processes + others}",
        f"--nofile={_OPEN_FILES}",
        f"--cpu={int(limits.seconds) + 2}:{int(limits.seconds) + 7}",  # SIGXCPU, then SIGKILL
    ]
    if limits.address_bytes is not None:
        words.append(f"--as={limits.address_bytes}")
    return [*words, "--"]


def exceeded(usage: Usage, wall: float, limits: ResourceLimits, written: Path | None) -> Excess | None:
    """The limit that a command exceeds, which began `wall` seconds ago. `written`: its working folder."""
    if is_spilled(written, usage.deleted_bytes, limits):
        return Excess.DISK
    if limits.memory_bytes is not None and usage.memory_bytes > limits.memory_bytes:
        return Excess.MEMORY
    idle = (
        usage.waiting_seconds is not None and wall - usage.waiting_seconds >= limits.patience * limits.seconds
    )
    if usage.cpu_seconds >= limits.seconds or idle:
        return Excess.TIME
    return Excess.STARVED if wall >= _MOST_PATIENCE * limits.seconds else None


def is_spilled(written: Path | None, deleted_bytes: int, limits: ResourceLimits) -> bool:
    """Whether files exceed their limits. A folder that cannot be listed counts as too much."""
    if written is None:
        return False
    found = disk.used(written, limits.disk_bytes)
    return found.is_hidden or found.bytes + deleted_bytes > limits.disk_bytes
