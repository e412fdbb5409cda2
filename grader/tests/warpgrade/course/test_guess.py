"""The lab of a file: by its folder, by its kernels, by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fake_repository import GOOD, KERNEL, LAB, write
from warpgrade.core.errors import UsageError
from warpgrade.core.paths import Repository
from warpgrade.course import guess


def test_by_the_kernels_that_the_file_has(repository: Repository, tmp_path: Path) -> None:
    assert guess.lab_of(repository, write(tmp_path / "mine.cu", GOOD)) == LAB
    text = f'extern "C" __global__ void {KERNEL}(float* A) {{}}\n'
    assert guess.lab_of(repository, write(tmp_path / "other.cu", text)) == LAB


def test_by_the_folder_whatever_stands_in_it(repository: Repository, tmp_path: Path) -> None:
    assert guess.lab_of(repository, write(tmp_path / LAB / "kernel.cu", "")) == LAB


def test_a_file_of_no_lab_is_asked_for(repository: Repository, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="which lab is it of"):
        guess.lab_of(repository, write(tmp_path / "mine.cu", "int main() {}\n"))
