"""The disk space of a command's working folder, measured while the command runs.

A limit on the size of a file (RLIMIT_FSIZE) bounds one file, not their number.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

_BLOCK = 512  # bytes in a unit of st_blocks, stat(2)
_FILE = 1024  # bytes counted for a name, so that empty files and folders cost something, too


@dataclass(frozen=True)
class DiskUse:
    """`is_hidden`: a folder cannot be listed, or lies deeper than a path reaches."""

    bytes: int
    is_hidden: bool = False


def used(folder: Path, enough: int) -> DiskUse:
    """The disk space of `folder`. Counting stops beyond `enough` bytes, so that its time is bounded."""
    total, is_hidden = 0, False
    waiting = [str(folder)]
    while waiting and total <= enough:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    total += _of(entry, waiting)
                    if total > enough:
                        break
        except (FileNotFoundError, NotADirectoryError):
            continue  # the command has removed it
        except OSError:
            is_hidden = True
    return DiskUse(total, is_hidden)


def _of(entry: os.DirEntry[str], waiting: list[str]) -> int:
    """Bytes of one entry; a folder is added to `waiting`."""
    try:
        about = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return 0
    if stat.S_ISDIR(about.st_mode):
        waiting.append(entry.path)
    return _FILE + about.st_blocks * _BLOCK
