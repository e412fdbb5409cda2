"""The doctor finds what is missing and says what to type."""

from __future__ import annotations

import shutil

import pytest

from support.fake_repository import LAB
from warpgrade.cli import machine_checks
from warpgrade.cli.machine_checks import MachineCheck
from warpgrade.core.paths import Repository
from warpgrade.sandbox import process


def rows(repository: Repository) -> dict[str, MachineCheck]:
    return {row.what: row for row in machine_checks.examine(repository)}


def test_healthy(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPGRADE_SALT", "mine")
    found = rows(repository)
    ill = [name for name, row in found.items() if row.ok is False and name != "sandbox"]
    assert not ill
    assert "13.0.88" in found["CUDA compiler"].detail and found["labs"].detail == LAB
    assert found["nvcc's headers"].ok is None, "the fake nvcc has no --dryrun"
    assert "mine" not in found["salt"].detail


def test_what_is_missing_has_a_remedy(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WARPGRADE_SALT", raising=False)
    monkeypatch.setattr(process, "_tool", lambda name: None if name == "bwrap" else shutil.which(name))
    monkeypatch.setattr(process, "checkout", lambda: repository.root)  # which has no launcher
    shutil.rmtree(repository.toolkit)
    repository.emulator.unlink()
    repository.harness(LAB).unlink()
    found = rows(repository)
    for name in ("CUDA compiler", "emulator", "labs", "sandbox"):
        assert found[name].ok is False and found[name].remedy, name
    assert found["nvcc's headers"].ok is None
    assert found["salt"].ok is None and "datasets/.salt" in found["salt"].remedy


def test_a_broken_lab(repository: Repository) -> None:
    (repository.labs / LAB / "lab.toml").write_text("title = 3")
    found = rows(repository)["labs"]
    assert found.ok is False and "lab.toml" in found.detail
