"""What a copy of the course on another machine needs to build the tools: one list for every archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .paths import Repository, need

_FOLDERS = (
    "grader/cmake", "grader/confine", "grader/emulator", "grader/harness", "grader/gpus", "grader/setup",
    "labs/common", "handouts/languages",
)  # fmt: skip
_FILES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "Makefile", "grader/requirements.txt",
          "warpgrade")  # fmt: skip


def build_sources(repository: Repository) -> Iterator[Path]:
    """The files, below the repository's root. GraderError where one is missing."""
    for folder in _FOLDERS:
        yield from files_below(repository.root / folder)
    for name in _FILES:
        yield need(repository.root / name, "get a whole copy of the course's files")


def files_below(folder: Path) -> Iterator[Path]:
    """Every file of a folder but Python's compiled modules, sorted."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
