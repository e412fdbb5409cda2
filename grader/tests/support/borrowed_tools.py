"""A course in a folder of its own that works with the tools of this checkout."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def need_built(folder: str) -> Path:
    """A folder of this checkout that `make` fills. Without it the test is skipped, with what to type."""
    if not (ROOT / folder).exists():
        pytest.skip(f"{folder} is missing: type `make test-programs`")
    return ROOT / folder


def lend_tools(root: Path, harnesses: str = "build/harness") -> None:
    """Toolkit, emulator, harnesses and what has been recorded already, so that figures can be made."""
    (root / "build").mkdir(exist_ok=True)
    for folder in (".deps", "build/emulator", "build/frontend"):
        (root / folder).symlink_to(need_built(folder))
    (root / "build" / "harness").symlink_to(need_built(harnesses))
    (root / "build" / "datasets").mkdir()
    timings = ROOT / "datasets" / "reference-timings"
    if timings.is_dir():
        shutil.copytree(timings, root / "datasets" / "reference-timings")
    if (ROOT / "build" / "recorded").is_dir():
        shutil.copytree(ROOT / "build" / "recorded", root / "build" / "recorded")


def lend_course(root: Path, harnesses: str = "build/harness") -> None:
    """All of a course but its labs: their common files, the shared parts of handouts, GPUs, and the tools."""
    shutil.copytree(ROOT / "labs" / "common", root / "labs" / "common")
    pages = shutil.ignore_patterns("[0-9]*.md.j2", "TOPICS.md")
    shutil.copytree(ROOT / "handouts", root / "handouts", ignore=pages)
    (root / "solutions").mkdir(exist_ok=True)
    (root / "grader").mkdir()
    (root / "grader" / "gpus").symlink_to(ROOT / "grader" / "gpus")
    lend_tools(root, harnesses)
