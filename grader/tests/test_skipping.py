"""A test that needs a sandbox is skipped where none can start; in continuous integration it fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PROGRAM = """\
import pytest
from warpgrade.core.errors import SandboxError
from warpgrade.sandbox import process

process.why_unavailable = lambda kind: {reason!r}

def test_raises() -> None:
    raise SandboxError("bwrap: no permission")

@pytest.fixture
def graded() -> None:
    raise SandboxError("bwrap: no permission")

def test_in_a_fixture(graded: None) -> None:
    pass

@pytest.mark.needs_sandbox
def test_marked() -> None:
    pass
"""


def outcome(folder: Path, reason: str | None, ci: str) -> str:
    """The last line that pytest prints."""
    tests = folder / "grader" / "tests"
    shutil.copytree(TESTS / "support", tests / "support", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(TESTS / "conftest.py", tests / "conftest.py")
    (tests / "test_one.py").write_text(PROGRAM.format(reason=reason))
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  needs_sandbox\n  optional\n  long\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)],
        env={**os.environ, "CI": ci, "PYTHONPATH": f"{TESTS.parent}:{tests}"},
        cwd=folder, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.stdout, ran.stderr
    return ran.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("reason", "ci", "expected"),
    [
        ("not permitted", "", "3 skipped"),
        ("not permitted", "1", "1 failed, 2 errors"),
        (None, "", "1 failed, 1 passed, 1 error"),
    ],
)
def test_without_a_sandbox(tmp_path: Path, reason: str | None, ci: str, expected: str) -> None:
    assert outcome(tmp_path, reason, ci).startswith(expected)
