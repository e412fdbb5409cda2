"""`./warpgrade` in a fresh clone prepares what is missing before it runs the command."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.fake_repository import write

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = "tools:\n\t@echo built; mkdir -p build; {}\n"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A checkout whose set-up has nothing to do and whose grader repeats its arguments."""
    shutil.copy(ROOT / "warpgrade", tmp_path)
    for name, words in (("grader/setup/prepare.sh", "true"), (".venv/bin/python", 'echo "$@"')):
        write(tmp_path / name, f"#!/bin/sh\n{words}\n").chmod(0o755)
    write(tmp_path / "Makefile", MAKEFILE.format("touch build/confine"))
    return tmp_path


def run(clone: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([clone / "warpgrade", "list"], capture_output=True, text=True, timeout=60)


def test_the_tools_are_built_once(clone: Path) -> None:
    """And what the command prints is all there is on standard output."""
    ran = [run(clone) for _ in range(2)]
    assert [each.stdout for each in ran] == ["-m warpgrade list\n"] * 2
    assert ["built" in each.stderr for each in ran] == [True, False]


def test_tools_that_cannot_be_built_are_missing_software(clone: Path) -> None:
    write(clone / "Makefile", MAKEFILE.format("false"))
    ran = run(clone)
    assert ran.returncode == 5 and not ran.stdout
