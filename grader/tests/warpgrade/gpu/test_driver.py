"""The driver's library is found."""

from __future__ import annotations

from pathlib import Path

from warpgrade.gpu import driver


def test_the_named_folder_comes_first(tmp_path: Path) -> None:
    (tmp_path / "libcuda.so.1").touch()
    assert driver.folder(f"/nowhere:{tmp_path}") == tmp_path


def test_a_link_leads_to_the_real_folder(tmp_path: Path) -> None:
    real, shown = tmp_path / "real", tmp_path / "shown"
    real.mkdir()
    shown.mkdir()
    (real / "libcuda.so.580").touch()
    (shown / "libcuda.so.1").symlink_to(real / "libcuda.so.580")
    assert driver.folder(str(shown)) == real


def test_the_linker_s_stub_is_no_driver(tmp_path: Path) -> None:
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    (stubs / "libcuda.so.1").touch()
    assert driver.folder(str(stubs)) != stubs
