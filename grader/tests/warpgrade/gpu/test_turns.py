"""Turns on a GPU: one process at a time, and none is needed to end them."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository
from warpgrade.gpu import turns
from warpgrade.gpu.devices import Device


def is_free(path: Path) -> bool:
    other = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(other)
    return True


def test_each_card_has_turns_of_its_own(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    first, second = Device(0, 0, "GPU-a"), Device(1, 1)
    with turns.turn(first, repository):
        assert not is_free(turns.file_of(first, repository))
        assert is_free(turns.file_of(second, repository))
        assert is_free(turns.file_of(None, repository))
    assert is_free(turns.file_of(first, repository))


def test_an_error_ends_the_turn(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    with pytest.raises(ValueError, match="mine"), turns.turn(None, repository):
        raise ValueError("mine")
    assert is_free(turns.file_of(None, repository))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "build").write_text("in the way")
    with pytest.raises(GraderError) as caught:
        turns.file_of(None, Repository(tmp_path))
    assert caught.value.file == tmp_path / "build" / "turns" / "gpu"
