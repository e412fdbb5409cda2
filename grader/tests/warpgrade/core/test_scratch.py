"""Working folders come and go."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest

from support.fake_repository import write
from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository
from warpgrade.core.scratch import BOX, scratch_folder


def test_gone_afterwards(tmp_path: Path) -> None:
    with scratch_folder(Repository(tmp_path)) as one, scratch_folder(Repository(tmp_path)) as other:
        assert one != other and not list(one.iterdir())
        write(one / "deep" / "file", "x")
    assert not one.exists() and not other.exists()


def test_names_have_one_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = []
    for number in (7, 1234567):
        monkeypatch.setattr(os, "getpid", lambda number=number: number)
        with scratch_folder(Repository(tmp_path)) as work:
            names.append(work.name)
    assert len(names[0]) == len(names[1])


@pytest.mark.parametrize("source", ["kernel.cu", "reduce.cu", "deep/folder/kernel.cu"])
def test_nvcc_names_a_source_in_it_like_one_in_the_box(tmp_path: Path, source: str) -> None:
    with scratch_folder(Repository(tmp_path)) as one, scratch_folder(Repository(tmp_path)) as other:
        sums = {zlib.crc32(f"{folder}/{source}".encode()) for folder in (one, other, BOX)}
    assert len(sums) == 1


def test_what_killed_graders_left_is_swept(tmp_path: Path) -> None:
    left = write(tmp_path / "build" / "work" / "999999999-abc" / "file", "x").parent
    ours = write(tmp_path / "build" / "work" / f"{os.getpid()}-abc" / "file", "x").parent
    with scratch_folder(Repository(tmp_path)):
        assert ours.exists() and not left.exists()


def test_thousands_of_folders_in_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scratch_folder(Repository(tmp_path)) as work:
        monkeypatch.chdir(work)
        for _ in range(3000):
            write(Path("file"), "x")
            Path("inner").mkdir()
            os.chdir("inner")
        os.chdir(tmp_path)
        work.joinpath("inner").chmod(0)
        work.joinpath("link").symlink_to(tmp_path)
    assert not work.exists() and tmp_path.exists()


def test_no_room(tmp_path: Path) -> None:
    write(tmp_path / "build", "a file in the way")
    with pytest.raises(GraderError, match="cannot be written"), scratch_folder(Repository(tmp_path)):
        pass
