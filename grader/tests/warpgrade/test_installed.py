"""`pip install .`: the command works in a checkout, and says what it lacks anywhere else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what pip installs; the dependencies are those of this interpreter."""
    source = tmp_path_factory.mktemp("source")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("pyproject.toml", "README.md", "LICENSE", "grader/requirements.txt"):
        (source / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    shutil.copytree(ROOT / "grader" / "warpgrade", source / "grader" / "warpgrade", ignore=ignored)
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run([*pip, "--target", target, source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def _run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, installed / "bin" / "warpgrade", *words],
        cwd=folder, env={**environment, "PYTHONPATH": str(installed)}, capture_output=True, text=True,
    )  # fmt: skip


def test_every_file_of_the_package_is_installed(installed: Path) -> None:
    def files(folder: Path) -> set[str]:
        found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        return {name for name in found if "__pycache__" not in name}

    assert files(installed / "warpgrade") == files(ROOT / "grader" / "warpgrade")


def test_the_command_finds_the_checkout_around_the_current_folder(installed: Path) -> None:
    done = _run(installed, ROOT / "labs", "list")
    assert done.returncode == 0, done.stderr
    assert all(lab.parent.name in done.stdout for lab in (ROOT / "labs").glob("*/lab.toml"))


def test_elsewhere_it_says_what_to_type(installed: Path, tmp_path: Path) -> None:
    done = _run(installed, tmp_path, "list")
    assert done.returncode == 2
    assert "lies in no checkout" in done.stderr and "WARPGRADE_ROOT" in done.stderr
    assert "Traceback" not in done.stderr


def test_elsewhere_it_still_says_its_version(installed: Path, tmp_path: Path) -> None:
    done = _run(installed, tmp_path, "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("warpgrade ")
