"""What a task leaves in its journal when it is stopped: whether it had its time, and no verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.fake_repository import LAB
from warpgrade.grading.cluster import worker
from warpgrade.grading.cluster.work_folder import JournalName, Unit, WorkFolder, WorkRequest
from warpgrade.grading.session import Options, Session
from warpgrade.sandbox import process

NAME = JournalName(1, 0, "7", 0)


@pytest.fixture
def folder(session: Session) -> WorkFolder:
    setting = session.setting
    prints = {each.lab.name: each.fingerprint for each in session.prepared_labs}
    made = WorkFolder(session.repository.root / "out" / ".cluster")
    made.make(
        WorkRequest(
            str(session.repository.root), "none", "h200", "emulator", setting.device_name, False, prints
        )
    )
    made.save_elements(1, [(Unit(LAB, "alice", "x", f"alice/{LAB}/x"),)])
    return made


def rows(folder: WorkFolder) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder.done / str(NAME)).read_text().splitlines()]


@pytest.mark.parametrize(("minutes", "is_late"), [(60, False), (2, True)])
def test_stopped(
    folder: WorkFolder, session: Session, monkeypatch: pytest.MonkeyPatch, minutes: int, is_late: bool
) -> None:
    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(worker, "prepare", lambda *_: session)
    monkeypatch.setattr(worker, "grade_equal", stopped)
    with pytest.raises(KeyboardInterrupt):
        worker.work(folder, worker.Task(NAME, "emulate", "n1", 1, 60.0 * minutes))
    process.resume()
    assert rows(folder) == [{"node": "n1"}, {"stopped": is_late}]


def test_an_element_that_is_not_there(folder: WorkFolder) -> None:
    other = JournalName(1, 5, "7", 0)
    assert not worker.work(folder, worker.Task(other, "emulate", "n1", 1, 60.0))
    assert "element 5 of array 1" in (folder.done / str(other)).read_text()


def test_a_submission_whose_text_is_gone_is_withheld(
    folder: WorkFolder, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "prepare", lambda *_: session)
    (folder.path.parent / "alice" / LAB / "x").mkdir(parents=True)
    assert worker.work(folder, worker.Task(NAME, "emulate", "n1", 1, 60.0))
    begun, begin, end, finished = rows(folder)
    assert begun == {"node": "n1"} and begin["begin"] == end["end"] == f"alice/{LAB}/x"
    result = worker.result_of(end)
    assert result is not None and result.status == "withheld" and finished == {"finished": True}


def test_a_task_uses_the_cores_that_it_was_given(
    folder: WorkFolder, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm need not bind a task to cores: its emulator's threads would take those of other tasks."""
    asked: list[Options] = []

    def prepared(*arguments: Any) -> Session:
        asked.append(arguments[2])
        return session

    monkeypatch.setattr(worker, "prepare", prepared)
    (folder.path.parent / "alice" / LAB / "x").mkdir(parents=True)
    assert worker.work(folder, worker.Task(NAME, "emulate", "n1", 3, 60.0))
    assert [(options.jobs, options.cores) for options in asked] == [(3, 3)]


def test_names_of_journals() -> None:
    assert JournalName.of(str(NAME)) == NAME
    assert JournalName.of("1.0.7.jsonl") is None and JournalName.of(".lock") is None
    assert Path(str(NAME)).suffix == ".jsonl"
