"""The sandbox backend "bwrap": the command line of bubblewrap, and the files that are visible inside."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core.errors import GraderError

BOX = "/box"
KINDS = ("bwrap", "none")  # sandbox backends
NOBODY = "65534"
_MIB = 1 << 20
_DOOR = "/mnt"  # where root mounts folders whose parents an unprivileged user cannot traverse
# The part of the system that a compiler and a dynamic loader need. No user data.
_SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/include")
_SYSTEM_LINKS = ("bin", "lib", "lib64", "sbin")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")


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


@dataclass(frozen=True)
class Tools:
    """The programs that build a box."""

    bwrap: str
    setpriv: str | None  # None if not root: the user stays the same
    no_more_namespaces: bool  # whether this bwrap can forbid user namespaces inside


def command(box: Box, tools: Tools) -> list[str]:
    """The words before a command that runs it in the box. GraderError if a mount is not readable."""
    mounts = [Mount(mount.source.resolve(), mount.at) for mount in box.mounts]
    work = box.work.resolve()
    words: list[str] = []
    if tools.setpriv is not None:
        for mount in mounts:
            _need_readable(mount.source)
        if not all(_nobody_reaches(path) for path in [work, *(mount.source for mount in mounts)]):
            # bwrap as an unprivileged user cannot traverse a closed folder such as /root on the way to the
            # source of a mount. A first bwrap, as root, binds the sources below _DOOR.
            words, work, mounts = _door(tools.bwrap, work, mounts)
        words += [tools.setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        words += ["--no-new-privs"]
    words += [tools.bwrap, "--unshare-all", "--hostname", "box", "--die-with-parent", "--new-session"]
    words += ["--cap-drop", "ALL", "--clearenv"]
    if tools.no_more_namespaces:  # nested user namespaces expose most of the kernel's known holes
        words += ["--unshare-user", "--disable-userns"]
    words += [*_system(box), *_shown(box, mounts)]
    return [*words, "--bind", str(work), BOX, "--chdir", BOX, *_closed(box), "--"]


def _shown(box: Box, mounts: list[Mount]) -> list[str]:
    words: list[str] = []
    for mount in mounts:
        words += ["--ro-bind", str(mount.source), mount.at]
    for device in box.devices:
        words += ["--dev-bind", str(device), str(device)]
    if box.devices:
        words += ["--ro-bind", "/sys", "/sys"]
    for name, value in {"PATH": "/usr/bin:/bin", "LC_ALL": "C", **box.environment}.items():
        words += ["--setenv", name, value]
    return words


def _closed(box: Box) -> list[str]:
    """The root of the box is a tmpfs that no limit counts, so it becomes read-only."""
    shared_memory = [] if box.devices else ["--remount-ro", "/dev"]  # CUDA may want /dev/shm
    return [*shared_memory, "--remount-ro", "/"]


def _door(bwrap: str, work: Path, mounts: list[Mount]) -> tuple[list[str], Path, list[Mount]]:
    words = [bwrap, "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", _DOOR]
    words += ["--bind", str(work), f"{_DOOR}/work"]
    shown = []
    for index, mount in enumerate(mounts):
        source = Path(f"{_DOOR}/{index}")
        words += ["--ro-bind", str(mount.source), str(source)]
        shown.append(Mount(source, mount.at))
    return [*words, "--"], Path(f"{_DOOR}/work"), shown


def _system(box: Box) -> list[str]:
    words: list[str] = []
    for path in (*_SYSTEM, *_SYSTEM_FILES):
        words += ["--ro-bind-try", path, path]
    for name in _SYSTEM_LINKS:
        folder = Path("/") / name
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), f"/{name}"]
        elif folder.exists():
            words += ["--ro-bind", str(folder), f"/{name}"]
    proc = ["--proc", "/proc"] if box.proc else []
    return [*words, *proc, "--dev", "/dev", "--size", str(512 * _MIB), "--tmpfs", "/tmp"]


def _nobody_reaches(path: Path) -> bool:
    return all(parent.stat().st_mode & 0o001 for parent in path.parents)


@functools.cache
def _need_readable(path: Path) -> None:
    """The sandbox user is `nobody`: every mounted path must be world-readable."""
    for each in [path, *(path.iterdir() if path.is_dir() else ())]:
        mode = each.stat().st_mode
        if not mode & 0o004 or (each.is_dir() and not mode & 0o001):
            raise GraderError(
                "is not readable for the unprivileged user inside the sandbox",
                file=each,
                remedy=f"chmod -R a+rX {path}",
            )


def open_to_nobody(work: Path) -> None:
    """Give the working folder to the sandbox user."""
    if os.geteuid() != 0:
        return
    waiting = [work]
    while waiting:
        path = waiting.pop()
        os.chown(path, int(NOBODY), int(NOBODY), follow_symlinks=False)
        if path.is_dir() and not path.is_symlink():
            waiting += path.iterdir()


def real_paths(value: str, box: Box) -> str:
    """For the backend "none": a colon-separated list of paths of the box as real paths."""
    places = [*((mount.at, mount.source) for mount in box.mounts), (BOX, box.work)]

    def real(part: str) -> str:
        for at, source in places:
            if part == at or part.startswith(at + "/"):
                return str(source.resolve()) + part[len(at) :]
        return part

    return ":".join(real(part) for part in value.split(":"))
