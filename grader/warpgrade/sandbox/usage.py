"""What a process and all that came from it take, read from /proc."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_AFTER_NAME = 2  # fields of /proc/PID/stat that end with the name, which may hold anything
_TIMES = slice(13 - _AFTER_NAME, 17 - _AFTER_NAME)  # utime stime cutime cstime, proc(5)


@dataclass(frozen=True)
class Usage:
    """`memory_bytes`: private pages of each process, and the largest share of what may be the same pages.
    `waiting_seconds`: ready to run while no core was free; None where the kernel does not tell."""

    memory_bytes: int = 0
    cpu_seconds: float = 0.0
    waiting_seconds: float | None = None


class ProcessTree:
    """A process that was started and its descendants, as often as one looks."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._cpu = 0.0
        self._waiting: dict[int, float] = {}

    def look(self) -> Usage:
        """What they take now; times also count those that have ended."""
        private = shared = 0
        cpu = 0.0
        for process in _descendants(self._root):
            with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
                resident, common = _pages(process)
                private += resident - common
                shared = max(shared, common)
                cpu += _cpu_seconds(process)
                self._waiting[process] = _waiting_seconds(process)
        self._cpu = max(self._cpu, cpu)
        waiting = sum(self._waiting.values()) if self._waiting else None
        return Usage((private + shared) * _PAGE, self._cpu, waiting)


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
    """Resident pages, and those of them that are of files or shared memory."""
    _, resident, shared, *_ = map(int, (_PROC / str(process) / "statm").read_text().split())
    return resident, shared


def _cpu_seconds(process: int) -> float:
    """Of the process and of its children that it has waited for."""
    fields = (_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[_TIMES])) / _TICK


def _waiting_seconds(process: int) -> float:
    return int((_PROC / str(process) / "schedstat").read_text().split()[1]) / 1e9
