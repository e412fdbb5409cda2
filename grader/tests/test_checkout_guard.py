"""A test that changes a person's files in the checkout fails the whole session."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PROGRAM = """\
from pathlib import Path

def test_it() -> None:
    path = Path(__file__).parents[2] / {path!r}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("changed")
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with nothing but grades and the guard."""
    folder = tmp_path / "grader" / "tests"
    (folder / "support").mkdir(parents=True)
    shutil.copyfile(TESTS / "conftest.py", folder / "conftest.py")
    for name in ("checkout_guard.py", "sample.py"):  # what conftest.py imports
        shutil.copyfile(TESTS / "support" / name, folder / "support" / name)
    (tmp_path / "build" / "grades").mkdir(parents=True)
    (tmp_path / "build" / "grades" / "index.html").write_text("of last term")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "passes"),
    [
        ("build/grades/index.html", False),
        ("build/grades/new/page.html", False),
        ("build/handouts/index.html", False),
        ("labs/01-basic/kernel.cu", False),
        ("datasets/reference-timings/gpu.json", False),
        ("build/references/cache.json", True),
    ],
)
def test_a_changed_file_fails_the_session(checkout: Path, path: str, passes: bool) -> None:
    folder = checkout / "grader" / "tests"
    (folder / "test_one.py").write_text(PROGRAM.format(path=path))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr
    assert (ran.returncode == 0) is passes, ran.stdout
    assert (path in ran.stdout) is not passes
