"""The backends "landlock" and "seccomp": the command line of our launcher `confine` (grader/confine/).

Neither needs namespaces, so both work in containers and chroots. Nothing is mounted: paths of the box are
replaced by the real ones. "landlock" allows the files of the box and no others. "seccomp" is for kernels
without Landlock: it needs root, as only a user of its own keeps a command from other files.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path

from ..core.errors import GraderError
from .box import SYSTEM, SYSTEM_FILES, SYSTEM_LINKS, Box, is_reachable, need_readable, real_paths

KINDS = ("landlock", "seccomp")
# systemd gives these to services for as long as they run (systemd.exec(5), DynamicUser), so nobody's files
# belong to them; the 65,536 users of a container hold them, too.
_FIRST_USER, _USERS = 61184, 4336
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_next = itertools.count(os.getpid() * 64)


def another_user() -> int | None:
    """A user for one box, None without root. Boxes that run at the same time have different users, because
    the kernel counts processes by user."""
    return _FIRST_USER + next(_next) % _USERS if os.geteuid() == 0 else None


def command(launcher: Path, box: Box, kind: str, user: int | None) -> list[str]:
    """The words before a command that confine it. GraderError if `user` cannot reach a path of the box.

    It runs only as a child of this process, and ends with it. Under "landlock" the user may traverse folders
    that are closed to it, such as /root: the rules still decide what it can read.
    """
    work = box.work.resolve()
    sources = [mount.source.resolve() for mount in box.mounts]
    closed: list[Path] = []
    if user is not None:
        for path in sources:
            need_readable(path)
        closed = [path for path in [work, *sources] if not is_reachable(path)]
        if closed and kind == "seccomp":
            raise _closed(closed[0])
    words = [str(launcher), f"--parent={os.getpid()}", f"--work={work}"]
    words += [] if user is None else [f"--user={user}"]
    words += ["--traverse"] if closed else []
    words += [] if kind == "landlock" else ["--no-landlock"]
    words += [f"--read={path}" for path in (*_system(box), *sources)]
    words += [f"--write={path}" for path in (*_DEVICES, *(("/dev/shm",) if box.devices else ()))]
    words += [f"--device={path}" for path in box.devices]
    return [*words, "--"]


def real_command(command: Sequence[str], box: Box) -> list[str]:
    return [real_paths(word, box) for word in command]


def _system(box: Box) -> list[str]:
    links = [f"/{name}" for name in SYSTEM_LINKS]
    proc = ["/proc"] if box.proc else []
    return [*SYSTEM, *links, *SYSTEM_FILES, *proc, *(["/sys"] if box.devices else [])]


def _closed(path: Path) -> GraderError:
    closed = next(parent for parent in reversed(path.parents) if not parent.stat().st_mode & 0o001)
    return GraderError(
        f"is closed to other users, so a command without root's rights cannot reach {path}",
        file=closed,
        remedy=f"chmod o+x {closed}, or move the checkout",
    )
