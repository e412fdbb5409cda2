"""What a class saved is loaded when it is asked for, once a report, and does not stay in memory."""

from __future__ import annotations

import collections
import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from support.fake_repository import LAB, hand_in, stages
from warpgrade.cli import class_output
from warpgrade.core import store
from warpgrade.grading import batch, saved_grades, saved_students
from warpgrade.grading.session import Session
from warpgrade.records import Run, StageRecords
from warpgrade.submission import downloads

NAMES = ("alice", "bob", "carol", "dan")


@pytest.fixture(autouse=True, params=[saved_students.MOST_KEPT, 0], ids=["a small class", "a large class"])
def most_kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 0 a class is read from its file whenever it is gone through, as a large one is."""
    monkeypatch.setattr(saved_students, "MOST_KEPT", request.param)


@pytest.fixture
def out(class_folder: Path, session: Session) -> Path:
    hand_in(class_folder, "alice")
    hand_in(class_folder, "bob", "second: wrong")
    hand_in(class_folder, "carol", "third: race")
    hand_in(class_folder, "dan", "SYNTAX")
    folder = session.repository.root / "grades"
    batch.grade_class(downloads.read(class_folder), folder, session)
    return folder


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> collections.Counter[str]:
    """How often each saved file was loaded: "bob/run"."""
    found: collections.Counter[str] = collections.Counter()
    load = store.load

    def counted(folder: Path, stage: str, key: str | None, kind: type[Any]) -> Any:
        found[f"{folder.parents[1].name}/{stage}" if folder.parent.name == LAB else stage] += 1
        return load(folder, stage, key, kind)

    monkeypatch.setattr(store, "load", counted)
    return found


def test_a_report_reads_each_file_once(out: Path, reads: collections.Counter[str]) -> None:
    grades = saved_grades.load(out)
    class_output.write(grades, out)
    class_output.show(grades, out)
    stages = [f"{name}/{stage}" for name in NAMES for stage in ("submission", "build")]
    stages += [f"{name}/{stage}" for name in NAMES[:3] for stage in ("run", "findings")]
    assert reads == dict.fromkeys(stages, 1), "nothing of dan's was run"


def test_a_table_of_points_reads_the_class_alone(out: Path, reads: collections.Counter[str]) -> None:
    class_output.show(saved_grades.load(out), out)
    assert not reads, "no stage is read"


def test_stages_are_those_that_were_saved(out: Path) -> None:
    students = {student.id: student.results[0] for student in saved_grades.load(out).students}
    carol = students["carol"]
    assert carol.run is not None and carol.run.launches and carol.run.findings
    assert carol.run == store.load(stages(out, "carol"), "run", None, Run)
    assert carol.submission is not None and "third: race" in carol.submission.files[0].text
    assert students["dan"].build_failed and students["dan"].build is not None and students["dan"].run is None


def test_the_stages_of_earlier_students_are_dropped(out: Path) -> None:
    grades = saved_grades.load(out)
    results = [student.results[0] for student in grades.students]
    loaded = [weakref.ref(run) for result in results if (run := result.run)]
    loaded += [weakref.ref(submission) for result in results if (submission := result.submission)]
    gc.collect()
    assert len(loaded) == 3 + 4
    assert sum(each() is not None for each in loaded) <= 3, "as many as one student has stages"


def test_graded_and_loaded_results_hold_no_stage_in_memory(
    class_folder: Path, out: Path, session: Session
) -> None:
    grades = batch.grade_class(downloads.read(class_folder), out, session)
    for student in (*grades.students, *saved_grades.load(out).students):
        assert not isinstance(student.results[0].stages, StageRecords)


def test_a_missing_stage_is_none(out: Path) -> None:
    for file in (stages(out, "bob")).glob("*.json"):
        file.unlink()
    bob = next(student.results[0] for student in saved_grades.load(out).students if student.id == "bob")
    assert (bob.submission, bob.build, bob.run) == (None, None, None)
    assert bob.score is not None and bob.score.total == 60
