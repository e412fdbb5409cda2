"""Temporary folders under build/work/, one for each command, removed when it ends."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import crc_name
from .errors import unwritable
from .paths import Repository

BOX = "/box"  # the name of a scratch folder in a sandbox that mounts it


@contextmanager
def scratch_folder(repository: Repository) -> Iterator[Path]:
    """A new empty folder. GraderError if it cannot be created."""
    parent = repository.root / "build" / "work"
    try:
        parent.mkdir(parents=True, exist_ok=True)
        _sweep(parent)
        work = parent / _name(parent)
        work.mkdir()
        work.chmod(0o711)  # a box of another user may read a file in it whose name it knows
    except OSError as error:
        raise unwritable(parent, error) from None
    try:
        yield work
    finally:
        remove(work)


def _name(parent: Path) -> str:
    """A new name for a folder in `parent`. Compilers write the path into what they make. For this not to
    depend on it, all have one length (source_files.without_place()) and the CRC-32 of the box (crc_name).
    """
    name = f"{os.getpid():08}-{secrets.token_hex(8)}"
    return name + crc_name.letters(os.fsencode(parent.resolve() / name), zlib.crc32(BOX.encode()))


def remove(folder: Path) -> None:
    """Remove a folder that a submission's program may have written to. What cannot be removed stays.

    shutil.rmtree() fails on a thousand folders in folders, whose path is also longer than the kernel accepts.
    Each inner folder therefore moves up before its own members are removed.
    """
    waiting = [folder]
    for number in itertools.count():
        if not waiting:
            break
        place = waiting.pop()
        with contextlib.suppress(OSError):
            place.chmod(0o700)
            for at, path in enumerate(list(place.iterdir())):
                if path.is_symlink() or not path.is_dir():
                    path.unlink()
                elif place == folder:
                    waiting.append(path)
                else:
                    waiting.append(path.rename(folder / f"{secrets.token_hex(8)}-{number}-{at}"))
            if place != folder:
                place.rmdir()
    with contextlib.suppress(OSError):
        folder.rmdir()


@functools.cache
def _sweep(parent: Path) -> None:
    """Remove the folders of graders that were killed. A folder's name begins with its process number."""
    for folder in parent.iterdir():
        owner = folder.name.partition("-")[0]
        if owner.isdecimal() and not Path(f"/proc/{int(owner)}").exists():
            remove(folder)
