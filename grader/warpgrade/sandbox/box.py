"""The folders and devices that a command may access: its box, for every sandbox backend."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core.errors import GraderError
from ..core.scratch import BOX as BOX

# The part of the system that a compiler and a dynamic loader need. No user data.
SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/include")
SYSTEM_LINKS = ("bin", "lib", "lib64", "sbin")
SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")


@dataclass(frozen=True)
class Mount:
    """A folder or file that is visible in the box, read-only."""

    source: Path
    at: str


@dataclass(frozen=True)
class Box:
    """`proc`: whether /proc is mounted. A compiler gets none: it opens the files that a source names, and
    files of /proc reveal the host's paths."""

    work: Path
    mounts: tuple[Mount, ...] = ()
    devices: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    proc: bool = True


def is_reachable(path: Path) -> bool:
    """Whether a user without rights of its own can traverse the folders above `path`."""
    return all(parent.stat().st_mode & 0o001 for parent in path.parents)


@functools.cache
def need_readable(path: Path) -> None:
    """The sandbox user is nobody: every mounted path must be world-readable. GraderError if it is not."""
    for each in [path, *(path.iterdir() if path.is_dir() else ())]:
        mode = each.stat().st_mode
        if not mode & 0o004 or (each.is_dir() and not mode & 0o001):
            raise GraderError(
                "is not readable for the unprivileged user inside the sandbox",
                file=each,
                remedy=f"chmod -R a+rX {path}",
            )


def give_to(user: int, work: Path) -> None:
    """Give the working folder to the sandbox user, where this is root."""
    if os.geteuid() != 0:
        return
    waiting = [work]
    while waiting:
        path = waiting.pop()
        os.chown(path, user, user, follow_symlinks=False)
        if path.is_dir() and not path.is_symlink():
            waiting += path.iterdir()


def real_paths(value: str, box: Box) -> str:
    """A colon-separated list of paths in the box as real paths, for backends without mounts."""

    def real(part: str) -> str:
        for at, source in _places(box):
            if part == at or part.startswith(at + "/"):
                return str(source.resolve()) + part[len(at) :]
        return part

    return ":".join(real(part) for part in value.split(":"))


def boxed_paths(text: str, box: Box) -> str:
    """The output of a compiler in a backend without mounts, with real paths replaced by paths of the box."""
    for at, source in _places(box):
        text = text.replace(str(source.resolve()), at)
    return text


def _places(box: Box) -> Iterator[tuple[str, Path]]:
    """Each path in the box and the real path for it."""
    yield from ((mount.at, mount.source) for mount in box.mounts)
    yield BOX, box.work


def real_environment(box: Box) -> dict[str, str]:
    """The environment of a command in the box, for backends without mounts.

    TMPDIR is the box, in which the command starts, by its short name: below a folder that its user may pass
    only by a capability, access(2) refuses the path, and GCC then takes /tmp.
    """
    own = {name: real_paths(value, box) for name, value in box.environment.items()}
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": ".", **own}
