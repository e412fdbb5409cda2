"""Memory and processor time of a process and all its descendants, read from /proc."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_AFTER_NAME = 2  # the first two fields of /proc/PID/stat; the second is the name, which may hold blanks
_TIMES = slice(13 - _AFTER_NAME, 17 - _AFTER_NAME)  # utime stime cutime cstime, proc(5)


@dataclass(frozen=True)
class Usage:
    """`memory_bytes`: the private pages of all processes plus the largest number of shared pages of one.
    `waiting_seconds`: time that they were runnable without a core; None if the kernel does not report it."""

    memory_bytes: int = 0
    cpu_seconds: float = 0.0
    waiting_seconds: float | None = None


class ProcessTree:
    """A started process and its descendants, sampled while they run."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._cpu = 0.0
        self._waiting: dict[int, float] = {}

    def sample(self) -> Usage:
        """Current memory and total times. Times include processes that have ended."""
        private = shared = 0
        cpu = 0.0
        for process in _descendants(self._root):
            with contextlib.suppress(OSError, ValueError, IndexError):  # the process has ended
                resident, common = _pages(process)
                private += resident - common
                shared = max(shared, common)
                cpu += _cpu_seconds(process)
                self._waiting[process] = _waiting_seconds(process)
        self._cpu = max(self._cpu, cpu)
        waiting = sum(self._waiting.values()) if self._waiting else None
        return Usage((private + shared) * _PAGE, self._cpu, waiting)


def threads_of_user() -> int:
    """How many processes and threads this user has now, which RLIMIT_NPROC counts together."""
    found, user = 0, os.geteuid()
    for process in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # the process has ended
            if process.stat().st_uid == user:
                found += len(list((process / "task").iterdir()))
    return found


def _descendants(root: int) -> Iterator[int]:
    """The process itself first."""
    left = [root]
    while left:
        process = left.pop()
        yield process
        with contextlib.suppress(OSError):
            for task in (_PROC / str(process) / "task").iterdir():
                left += map(int, (task / "children").read_text().split())


def _pages(process: int) -> tuple[int, int]:
    """Resident pages, and how many of them belong to files or shared memory."""
    _, resident, shared, *_ = map(int, (_PROC / str(process) / "statm").read_text().split())
    return resident, shared


def _cpu_seconds(process: int) -> float:
    """Processor time of the process and of the children that it has waited for."""
    fields = (_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[_TIMES])) / _TICK


def _waiting_seconds(process: int) -> float:
    return int((_PROC / str(process) / "schedstat").read_text().split()[1]) / 1e9
