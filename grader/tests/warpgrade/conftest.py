"""Shared by the pipeline's tests: a small repository with imitated tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fake_repository import make_repository
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.grading.session import Options, Session, prepare


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return make_repository(tmp_path)


@pytest.fixture
def session(repository: Repository) -> Session:
    """A session without a sandbox, which is quicker; the sandbox has its own tests."""
    return prepare(repository, lab.find(repository), Options("emulator", "none", jobs=2))


@pytest.fixture
def class_folder(tmp_path: Path) -> Path:
    return tmp_path / "class"
