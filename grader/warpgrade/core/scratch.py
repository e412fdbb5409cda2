"""Folders under build/work/ in which one command works, gone when it is done."""

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
    """An empty folder of its own. GraderError where none can be made."""
    parent = repository.root / "build" / "work"
    try:
        parent.mkdir(parents=True, exist_ok=True)
        _sweep(parent)
        work = Path(mkdtemp(prefix=f"{os.getpid()}-", dir=parent))
    except OSError as error:
        raise GraderError(
            f"cannot be written: {error.strerror}", file=parent, remedy="make room there"
        ) from None
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


@functools.cache
def _sweep(parent: Path) -> None:
    """Remove what graders that were killed have left; each folder begins with its process's number."""
    for folder in parent.iterdir():
        owner = folder.name.partition("-")[0]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)
