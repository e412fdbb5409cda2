"""Recipes make what they say: an attack that was never carried out would prove nothing."""

from __future__ import annotations

import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from support.attacks import archives


def test_zip(tmp_path: Path) -> None:
    (tmp_path / "kernel.cu").write_text("k")
    members = [
        {"name": "../up.cu", "from": "kernel.cu", "times": 3},
        {"name": "{}.cu", "text": "t", "count": 2},
        {"name": "link", "type": "symlink", "target": "/etc/passwd"},
        {"name": "0.cu", "text": "again"},
    ]
    recipe = {"kind": "zip", "member": members}
    archives.forge(recipe, tmp_path / "a.zip", tmp_path)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.namelist() == ["../up.cu", "0.cu", "1.cu", "link", "0.cu"]
        assert archive.read("../up.cu") == b"kkk"
        link = archive.getinfo("link")
        assert stat.S_ISLNK(link.external_attr >> 16) and archive.read(link) == b"/etc/passwd"


def test_a_patched_directory(tmp_path: Path) -> None:
    recipe = {"kind": "zip", "member": [{"name": "a.cu", "text": "text"}], "patch": {"8": "01"}}
    archives.forge(recipe, tmp_path / "a.zip", tmp_path)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.infolist()[0].flag_bits & 1
        with pytest.raises(RuntimeError, match="password"):
            archive.read("a.cu")


@pytest.mark.parametrize("kind", ["tar", "tar.gz"])
def test_tar(tmp_path: Path, kind: str) -> None:
    members = [
        {"name": "/etc/x", "text": "t"},
        {"name": "link", "type": "hardlink", "target": "../other"},
        {"name": "null", "type": "device"},
    ]
    archives.forge({"kind": kind, "member": members}, tmp_path / "a", tmp_path)
    with tarfile.open(tmp_path / "a") as archive:
        infos = archive.getmembers()
    assert [info.name for info in infos] == ["/etc/x", "link", "null"]
    assert infos[1].islnk() and infos[1].linkname == "../other" and infos[2].ischr()


def test_folder_link_and_pipe(tmp_path: Path) -> None:
    members = [
        {"name": "lab/zero.cu", "type": "symlink", "target": "/dev/zero"},
        {"name": "p", "type": "fifo"},
    ]
    archives.forge({"kind": "folder", "member": members}, tmp_path / "a", tmp_path)
    assert (tmp_path / "a" / "lab" / "zero.cu").is_symlink() and (tmp_path / "a" / "p").is_fifo()
    archives.forge({"kind": "link", "target": "a"}, tmp_path / "b", tmp_path)
    assert (tmp_path / "b").is_symlink()
