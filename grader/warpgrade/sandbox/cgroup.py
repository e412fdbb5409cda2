"""Limits by the kernel's control groups, version 2, where a folder of them is delegated to the grader's user.

They count what the samples of process.py may miss: memory between two samples, files in memory, and processes
of the same user that belong to other commands. systemd delegates its groups to a user's session, and root has
all. Source: Documentation/admin-guide/cgroup-v2.rst of Linux.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
_CONTROLLERS = {"memory", "pids"}
_UNIFIED = "0::"  # how the line of version 2 begins
_ENTER = 'echo 0 > "$1" && shift && exec "$@"'  # 0: the process that writes
_LONGEST_END = 2.0  # seconds that the kernel may take to end the processes of a group
_next = itertools.count()


@dataclass(frozen=True)
class ControlGroup:
    """A group for one command. Without a `folder` there is none, and nothing is limited."""

    folder: Path | None = None

    def around(self, command: Sequence[str]) -> list[str]:
        """The command that enters the group first."""
        return list(command) if self.folder is None else [*_entering(self.folder), *command]

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the kernel has killed the command for its limit, and not for lack of memory elsewhere."""
        if self.folder is None:
            return False
        rows = map(str.split, (self.folder / "memory.events").read_text(encoding="ascii").splitlines())
        events = {name: int(times) for name, times in rows}
        return events["oom"] > 0 and events["oom_kill"] > 0


@contextlib.contextmanager
def made(above: Path | None, memory_bytes: int | None, processes: int) -> Iterator[ControlGroup]:
    """A group with these limits for one command; at the end, processes left in it are killed. No group if
    `above` is None (see delegated), or if none can be made now.
    """
    folder = None if above is None else _make(above, memory_bytes, processes)
    try:
        yield ControlGroup(folder)
    finally:
        if folder is not None:
            _remove(folder)


def delegated(succeeds: Callable[[Sequence[str]], bool], root: Path = _ROOT, own: Path = _OWN) -> Path | None:
    """The nearest folder at or above the grader's own group in which groups with limits can be made and
    entered; None if there is none. `succeeds` runs a command that tries it.
    """
    group = _own_group(root, own)
    while group is not None:
        if _can_be_used(group, succeeds):
            return group
        group = group.parent if group != root else None
    return None


def _own_group(root: Path, own: Path) -> Path | None:
    with contextlib.suppress(OSError):
        for line in own.read_text(encoding="utf-8").splitlines():
            if line.startswith(_UNIFIED):
                return root / line.removeprefix(_UNIFIED).lstrip("/")
    return None


def _can_be_used(group: Path, succeeds: Callable[[Sequence[str]], bool]) -> bool:
    try:
        enabled = set((group / "cgroup.subtree_control").read_text(encoding="ascii").split())
    except OSError:
        return False
    folder = _make(group, None, 16) if enabled >= _CONTROLLERS else None
    if folder is None:
        return False
    try:
        return succeeds([*_entering(folder), "/bin/true"])
    finally:
        _remove(folder)


def _make(above: Path, memory_bytes: int | None, processes: int) -> Path | None:
    folder = above / f"warpgrade-{os.getpid()}-{next(_next)}"
    try:
        folder.mkdir()
    except OSError:
        return None
    try:
        if memory_bytes is not None:
            _set(folder, "memory.max", str(memory_bytes))
            _set(folder, "memory.oom.group", "1")
            with contextlib.suppress(OSError):  # a kernel without swap
                _set(folder, "memory.swap.max", "0")
        _set(folder, "pids.max", str(processes))
    except OSError:
        _remove(folder)
        return None
    return folder


def _set(folder: Path, name: str, value: str) -> None:
    """Write to the kernel, which takes a value in one piece."""
    with (folder / name).open("w", encoding="ascii") as file:
        file.write(value)


def _entering(folder: Path) -> tuple[str, ...]:
    return ("/bin/sh", "-c", _ENTER, "cgroup", str(folder / "cgroup.procs"))


def _remove(folder: Path) -> None:
    """Kill what is left in the group, and remove it: it is busy until the last process has ended."""
    with contextlib.suppress(OSError):  # Linux has cgroup.kill since 5.14
        _set(folder, "cgroup.kill", "1")
    end = time.monotonic() + _LONGEST_END
    while time.monotonic() < end:
        try:
            folder.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY:
                return
            time.sleep(0.001)
        else:
            return
