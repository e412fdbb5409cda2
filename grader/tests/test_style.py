"""The rules of style that a tool can check."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tracked(*patterns: str) -> list[str]:
    """Files of the repository that match, as git lists them; every file where git is absent."""
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", "grader"], ["ruff", "format", "--check", "grader"], ["mypy", "grader/warpgrade"]],
    ids=["ruff-check", "ruff-format", "mypy"],
)
def test_python(command: list[str]) -> None:
    """Python is clean under the tool."""
    ran = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]


def test_cpp_is_formatted() -> None:
    """C++ is formatted as clang-format would format it."""
    files = tracked("*.cpp", "*.hpp", "*.h")
    assert files
    ran = subprocess.run(
        ["clang-format", "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, "type: make fmt\n" + ran.stderr[-3000:]
