"""Samples of long tables: another one for each commit, and in the end every row."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from support import sample

ROWS = [(at, str(at)) for at in range(10)]


def rows(parameters: list[Any]) -> list[Any]:
    """Those that `make test` runs."""
    return [each for each in parameters if not getattr(each, "marks", ())]


@pytest.mark.parametrize("one_in", [1, 3, 4, 10, 24])
def test_as_many_turns_as_a_sample_leaves_out_run_every_row_once(
    one_in: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for turn in range(100, 100 + min(one_in, len(ROWS))):
        monkeypatch.setenv(sample.TURN, str(turn))
        found += rows(sample.sampled(ROWS, one_in))
    assert sorted(found) == ROWS


@pytest.mark.parametrize("turn", ["0", "7", "1002"])
def test_no_group_is_left_out(turn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sample.TURN, turn)
    groups = ROWS[:1], ROWS[1:3], ROWS[3:], []
    found = rows(sample.sampled_by(groups, 5))
    assert [len(set(found) & set(group)) for group in groups] == [1, 1, len(found) - 2, 0]
    assert len(sample.sampled_by(groups, 5)) == len(ROWS)


def test_a_row_keeps_its_id_and_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sample.TURN, "1")
    first, second = sample.sampled([pytest.param(1, id="one", marks=pytest.mark.long), 2], 2)
    assert (first.id, {mark.name for mark in first.marks}) == ("one", {"long", "exhaustive"})
    assert second == 2


def test_a_commit_has_one_number_and_a_folder_without_git_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "__file__", str(tmp_path / "sample.py"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert sample.of_commit() == 0
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    assert 0 < sample.of_commit() == sample.of_commit() < 1 << 64
