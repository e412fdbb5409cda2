"""Shared by the pipeline's tests: a small repository with imitated tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fake_repository import make_house
from warpgrade.core.paths import House
from warpgrade.course import lab
from warpgrade.grading import session
from warpgrade.grading.session import Workshop


@pytest.fixture
def house(tmp_path: Path) -> House:
    return make_house(tmp_path)


@pytest.fixture
def shop(house: House) -> Workshop:
    """Without walls, as that is quicker; the sandbox has tests of its own."""
    return session.prepare(house, lab.find(house), session.Wish("emulator", "none", jobs=2))


@pytest.fixture
def class_folder(tmp_path: Path) -> Path:
    return tmp_path / "class"
