"""Memory, deleted files and processor time of a process and all its descendants, read from /proc."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_ENDED = (OSError, ValueError, IndexError, KeyError)  # what reading of a process raises that has ended
_TICK = os.sysconf("SC_CLK_TCK")
_KIB = 1024
_BLOCK = 512  # bytes in a unit of st_blocks, stat(2)
_MOST_OPEN = 16384  # open files that one sample inspects
_AFTER_NAME = 2  # the first two fields of /proc/PID/stat; the second is the name, which may hold blanks
_TIMES = slice(13 - _AFTER_NAME, 17 - _AFTER_NAME)  # utime stime cutime cstime, proc(5)


@dataclass(frozen=True)
class Usage:
    """`memory_bytes`: private pages and shared memory of all processes, plus the most pages of files of one.
    `deleted_bytes`: open files without a name, on disk or in memory, of the processes that may be inspected.
    `waiting_seconds`: time that they were runnable without a core; None if the kernel does not report it."""

    memory_bytes: int = 0
    cpu_seconds: float = 0.0
    waiting_seconds: float | None = None
    deleted_bytes: int = 0


class ProcessTree:
    """A started process and its descendants, sampled while they run."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._cpu = 0.0
        self._waiting: dict[int, float] = {}

    def sample(self) -> Usage:
        """Current memory and total times. Times include processes that have ended."""
        own = of_files = 0
        cpu = 0.0
        deleted: dict[tuple[int, int], int] = {}
        looked_at = 0
        for process in descendants(self._root):
            with contextlib.suppress(*_ENDED):
                anonymous, mapped = _memory(process)
                own += anonymous
                of_files = max(of_files, mapped)
                cpu += _cpu_seconds(process)
                self._waiting[process] = _waiting_seconds(process)
            if looked_at < _MOST_OPEN:
                looked_at += _add_deleted(process, deleted)
        self._cpu = max(self._cpu, cpu)
        waiting = sum(self._waiting.values()) if self._waiting else None
        return Usage(own + of_files, self._cpu, waiting, sum(deleted.values()))

    def cpu_seconds(self) -> float:
        """Processor time so far: a sample of that alone, for a tree that has ended."""
        cpu = 0.0
        for process in descendants(self._root):
            with contextlib.suppress(*_ENDED):
                cpu += _cpu_seconds(process)
        self._cpu = max(self._cpu, cpu)
        return self._cpu


def threads_of_user() -> int:
    """How many processes and threads this user has now, which RLIMIT_NPROC counts together."""
    found, user = 0, os.geteuid()
    for process in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # the process has ended
            if process.stat().st_uid == user:
                found += len(list((process / "task").iterdir()))
    return found


def descendants(root: int) -> Iterator[int]:
    """The processes that a process has started, and theirs; the process itself first."""
    left = [root]
    while left:
        process = left.pop()
        yield process
        with contextlib.suppress(OSError):
            for thread in os.scandir(f"/proc/{process}/task"):
                left += map(int, _text(process, f"task/{thread.name}/children").split())


def _text(process: int, name: str) -> str:
    """The text of a file of /proc/PID."""
    return Path(f"/proc/{process}/{name}").read_text(errors="replace")


def _memory(process: int) -> tuple[int, int]:
    """Resident bytes that are the process's own or shared memory, and those that are pages of files.

    Shared memory that two processes map counts twice: otherwise, many processes could each hold as much as
    the limit.
    """
    lines = _text(process, "status").splitlines()
    sizes = {
        name: rest for name, _, rest in (line.partition(":") for line in lines) if name.startswith("Rss")
    }
    if not sizes:  # it has ended and waits to be collected
        return 0, 0
    anonymous, files, shared = (
        int(sizes[name].split()[0]) * _KIB for name in ("RssAnon", "RssFile", "RssShmem")
    )
    return anonymous + shared, files


def _add_deleted(process: int, found: dict[tuple[int, int], int]) -> int:
    """Add the open files of a process that have no name, by device and number. Returns the number of open
    files. Files without a name take disk or memory that no folder shows.
    """
    count = 0
    with contextlib.suppress(OSError):  # it has ended, or only root may look
        for entry in os.scandir(f"/proc/{process}/fd"):
            count += 1
            with contextlib.suppress(OSError):
                about = entry.stat()  # of the open file
                if stat.S_ISREG(about.st_mode) and about.st_nlink == 0:
                    found[about.st_dev, about.st_ino] = about.st_blocks * _BLOCK
    return count


def _cpu_seconds(process: int) -> float:
    """Processor time of the process and of the children that it has waited for."""
    fields = _text(process, "stat").rpartition(")")[2].split()
    return sum(map(int, fields[_TIMES])) / _TICK


def _waiting_seconds(process: int) -> float:
    return int(_text(process, "schedstat").split()[1]) / 1e9
