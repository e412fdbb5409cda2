"""Shared by the pipeline's tests: a small repository with imitated tools."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_house import make_house

from warpgrade import lab, workshop
from warpgrade.house import House
from warpgrade.workshop import Workshop


@pytest.fixture
def house(tmp_path: Path) -> House:
    return make_house(tmp_path)


@pytest.fixture
def shop(house: House) -> Workshop:
    """Without walls, as that is quicker; the sandbox has tests of its own."""
    return workshop.prepare(house, lab.find(house), workshop.Wish("emulator", "none", jobs=2))


@pytest.fixture
def class_folder(tmp_path: Path) -> Path:
    return tmp_path / "class"
