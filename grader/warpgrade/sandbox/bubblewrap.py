"""The sandbox backend "bwrap": the command line of bubblewrap, and the files that are visible inside."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from .box import BOX, SYSTEM, SYSTEM_FILES, SYSTEM_LINKS, Box, Mount, is_reachable, need_readable

_MIB = 1 << 20
_SHIM = "/mnt"  # where root mounts folders whose parents an unprivileged user cannot traverse


@dataclass(frozen=True)
class Tools:
    """The programs that build a box."""

    bwrap: str
    setpriv: str | None  # None if not root: the user stays the same
    no_more_namespaces: bool  # whether this bwrap can forbid user namespaces inside


def command(box: Box, tools: Tools, filter: int, user: int | None) -> list[str]:
    """The words before a command that runs it in the box. GraderError if a mount is not readable.

    `filter`: the descriptor from which bwrap reads the filter of system calls. `user`: the user as which it
    runs; None if not root.
    """
    mounts = [Mount(mount.source.resolve(), mount.at) for mount in box.mounts]
    work = box.work.resolve()
    words: list[str] = []
    if tools.setpriv is not None:
        for mount in mounts:
            need_readable(mount.source)
        if not all(is_reachable(path) for path in [work, *(mount.source for mount in mounts)]):
            # bwrap as an unprivileged user cannot traverse a closed folder such as /root on the way to the
            # source of a mount. A first bwrap, as root, binds the sources below _SHIM.
            words, work, mounts = _bind_shim(tools.bwrap, work, mounts)
        words += [tools.setpriv, f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        words += ["--no-new-privs"]
    words += [tools.bwrap, "--unshare-all", "--hostname", "box", "--die-with-parent", "--new-session"]
    words += ["--cap-drop", "ALL", "--clearenv", "--seccomp", str(filter)]
    if tools.no_more_namespaces:  # nested user namespaces expose most of the kernel's known holes
        words += ["--unshare-user", "--disable-userns"]
    words += [*_system(box.proc), *_shown(box, mounts)]
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


def _bind_shim(bwrap: str, work: Path, mounts: list[Mount]) -> tuple[list[str], Path, list[Mount]]:
    words = [bwrap, "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", _SHIM]
    words += ["--bind", str(work), f"{_SHIM}/work"]
    shown = []
    for index, mount in enumerate(mounts):
        source = Path(f"{_SHIM}/{index}")
        words += ["--ro-bind", str(mount.source), str(source)]
        shown.append(Mount(source, mount.at))
    return [*words, "--"], Path(f"{_SHIM}/work"), shown


@functools.cache
def _system(with_proc: bool) -> tuple[str, ...]:
    words: list[str] = []
    for path in (*SYSTEM, *SYSTEM_FILES):
        words += ["--ro-bind-try", path, path]
    for name in SYSTEM_LINKS:
        folder = Path("/") / name
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), f"/{name}"]
        elif folder.exists():
            words += ["--ro-bind", str(folder), f"/{name}"]
    proc = ["--proc", "/proc"] if with_proc else []
    return (*words, *proc, "--dev", "/dev", "--size", str(512 * _MIB), "--tmpfs", "/tmp")
