"""A second grading: what changed and why, written only when accepted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support.fake_repository import LAB, hand_in, stages
from warpgrade.core.errors import UsageError
from warpgrade.grading import batch, regrade, saved_grades
from warpgrade.grading.session import Session
from warpgrade.overview import changes
from warpgrade.records import Grades
from warpgrade.submission import downloads


@pytest.fixture
def out(class_folder: Path, session: Session) -> Path:
    hand_in(class_folder, "alice")
    hand_in(class_folder, "bob", "second: wrong")
    hand_in(class_folder / "heidi" / "a", "")
    hand_in(class_folder / "heidi" / "b", "")
    folder = session.repository.root / "grades"
    batch.grade_class(downloads.read(class_folder), folder, session)
    return folder


def again(out: Path, session: Session) -> tuple[Grades, tuple[changes.Change, ...]]:
    old = saved_grades.load(out)
    new = batch.grade_again(old, out, regrade.start(out), session)
    return new, tuple(changes.changes(old, new))


def cheaper(session: Session) -> Session:
    prepared = session.prepared_labs[0]
    lab = replace(prepared.lab, build_points=5.0, hash="another")
    return replace(session, prepared_labs=(replace(prepared, lab=lab),))


def test_nothing_changed(out: Path, session: Session) -> None:
    new, found = again(out, session)
    assert found == () and new == saved_grades.load(out)


def test_a_changed_lab(out: Path, session: Session) -> None:
    _, found = again(out, cheaper(session))
    rows = [(row.student, row.what, row.before, row.after) for row in found]
    assert rows == [
        ("alice", "total", "100", "95"),
        ("alice", "build", "10/10", "5/5"),
        ("bob", "total", "60", "55"),
        ("bob", "build", "10/10", "5/5"),
    ]
    assert {row.reason for row in found if row.what == "total"} == {"lab.toml changed"}
    assert {row.lab for row in found} == {LAB}


def test_a_case_that_is_judged_otherwise(out: Path, session: Session) -> None:
    old = saved_grades.load(out)
    bob = stages(out, "bob") / "run.json"
    bob.write_text(bob.read_text().replace("wrong_answer", "pass"))
    prepared = regrade.start(out)
    new = batch.grade_again(old, out, prepared, session)
    row = next(row for row in changes.changes(old, new) if row.what == "case second")
    assert (row.before, row.after) == ("WRONG_ANSWER 0/20", "PASS 20/20")


def test_only_accepting_writes(out: Path, session: Session) -> None:
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    new, _ = again(out, cheaper(session))
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    kept = regrade.accept(out)
    assert saved_grades.load(out) == new and not regrade.aside(out).exists()
    assert {kept / path.relative_to(out): text for path, text in before.items() if path.name != ".lock"} == {
        path: path.read_bytes() for path in kept.rglob("*") if path.is_file() and path.name != ".lock"
    }


def test_who_was_refused_stays_so(out: Path, session: Session) -> None:
    new, _ = again(out, session)
    heidi = next(student for student in new.students if student.id == "heidi")
    assert heidi.results[0].status == "refused"


def test_without_grades(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no saved grades"):
        regrade.start(tmp_path / "none")
