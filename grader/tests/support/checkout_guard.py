"""Detects tests that change the checkout: a person's grades, handouts, labs or datasets."""

from __future__ import annotations

from pathlib import Path

# What people wrote, and what commands wrote for them. The rest of build/ is a cache.
GUARDED = (
    "build/grades", "build/handouts", "build/release", "build/profile", "build/exports",
    "datasets", "handouts", "labs", "solutions",
)  # fmt: skip
Snapshot = dict[str, tuple[int, int]]


def snapshot(root: Path) -> Snapshot:
    """Modification time in nanoseconds and size of every guarded file below `root`, by its path."""
    files = (path for folder in GUARDED for path in (root / folder).rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): _stamp(path) for path in files}


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def changed(before: Snapshot, after: Snapshot) -> list[str]:
    """Paths that were written, made or removed between two snapshots."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
