"""Turns on a GPU: of the processes that share one, the one whose turn it is uses it.

A turn is the lock (flock) of a file that each GPU has. The harness takes its turns itself, around what it
does on the device (grader/harness/device/gpu_turn.hpp), so its other work costs no time of the GPU. For
programs that are not ours, the grader takes the turn around the whole process.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..core.errors import unwritable
from ..core.paths import Repository
from .devices import Device


def file_of(gpu: Device | None, repository: Repository) -> Path:
    """The file of a GPU, which exists. GraderError if it cannot be made."""
    path = repository.root / "build" / "turns" / (gpu.uuid or str(gpu.number) if gpu else "gpu")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT, 0o644))
    except OSError as error:
        raise unwritable(path, error) from error
    return path


@contextmanager
def turn(gpu: Device | None, repository: Repository) -> Iterator[None]:
    """Wait for the turn of this process on the GPU."""
    lock = os.open(file_of(gpu, repository), os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
