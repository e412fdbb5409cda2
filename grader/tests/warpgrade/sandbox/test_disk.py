"""What a folder takes, counted up to a bound."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.fake_repository import write
from warpgrade.sandbox import disk


def test_files_of_all_folders(tmp_path: Path) -> None:
    write(tmp_path / "a", "x" * 10_000)
    write(tmp_path / "b" / "c" / "d", "x" * 20_000)
    (tmp_path / "link").symlink_to("/")
    found = disk.used(tmp_path, 1 << 30)
    assert 30_000 <= found.bytes < 100_000 and not found.is_hidden


def test_empty_files_are_not_free(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / str(number)).touch()
    assert disk.used(tmp_path, 1 << 30).bytes >= 100_000


def test_counting_ends_when_it_is_enough(tmp_path: Path) -> None:
    for number in range(1000):
        (tmp_path / str(number)).touch()
    assert 50_000 < disk.used(tmp_path, 50_000).bytes < 60_000


def test_holes_are_free(tmp_path: Path) -> None:
    with (tmp_path / "hole").open("wb") as stream:
        stream.truncate(1 << 40)
    assert disk.used(tmp_path, 1 << 30).bytes < 100_000


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    assert disk.used(tmp_path / "gone", 1).bytes == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
@pytest.mark.optional
def test_a_closed_folder_hides_something(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o300)
    assert disk.used(tmp_path, 1 << 30).is_hidden


def test_folders_deeper_than_a_path_hide_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = Path("d" * 200)
    monkeypatch.chdir(tmp_path)
    for _ in range(30):
        inner.mkdir()
        os.chdir(inner)
    assert disk.used(tmp_path, 1 << 30).is_hidden
