"""Temporary folders under build/work/, one for each command, removed when it ends."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from .errors import GraderError
from .paths import Repository


@contextmanager
def scratch_folder(repository: Repository) -> Iterator[Path]:
    """A new empty folder. GraderError if it cannot be created."""
    parent = repository.root / "build" / "work"
    try:
        parent.mkdir(parents=True, exist_ok=True)
        _sweep(parent)
        work = Path(mkdtemp(prefix=f"{os.getpid()}-", dir=parent))
    except OSError as error:
        raise GraderError(
            f"cannot be written: {error.strerror}", file=parent, remedy="free some disk space there"
        ) from None
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


@functools.cache
def _sweep(parent: Path) -> None:
    """Remove the folders of graders that were killed. A folder's name begins with its process number."""
    for folder in parent.iterdir():
        owner = folder.name.partition("-")[0]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)
