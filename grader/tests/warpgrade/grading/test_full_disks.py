"""Disks that are full or read-only while a class is graded: withheld, never a zero, and nothing is lost."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from support.fake_repository import hand_in, stages
from warpgrade.build import compiler
from warpgrade.core import store
from warpgrade.core.errors import GraderError
from warpgrade.grading import batch
from warpgrade.grading.session import Session
from warpgrade.records import Result
from warpgrade.submission import downloads


@pytest.fixture
def klass(class_folder: Path) -> Path:
    hand_in(class_folder, "alice", "second: wrong")
    hand_in(class_folder, "bob")
    return class_folder


def by_student(klass: Path, out: Path, session: Session) -> dict[str, Result]:
    return {
        student.id: student.results[0]
        for student in batch.grade_class(downloads.read(klass), out, session).students
    }


def broken_for(student: str, stage: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing that stage of that student fails as a disk does."""
    write = store._write

    def failing(path: Path, pieces: object, mode: int | None = None) -> None:
        if path.name == f"{stage}.json" and student in path.parts:
            raise GraderError(f"cannot be written: {os.strerror(number)}", file=path)
        write(path, pieces, mode)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "_write", failing)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
@pytest.mark.parametrize("stage", ["submission", "build", "run", "score"])
def test_a_stage_that_cannot_be_saved(
    klass: Path, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, number: int
) -> None:
    out = tmp_path / "grades"
    with monkeypatch.context() as patch:
        broken_for("alice", stage, number, patch)
        found = by_student(klass, out, session)
    alice = found["alice"]
    assert alice.status == "withheld" and (alice.score is None or alice.score.total is None)
    assert alice.problem is not None and os.strerror(number) in alice.problem.message
    assert found["bob"].score is not None and found["bob"].score.total == 100
    after = by_student(klass, out, session)["alice"]
    assert after.score is not None and after.score.total == 60


def test_a_full_disk_while_the_compiler_works(
    klass: Path, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[Path] = []
    write = store.write_bytes

    def full(target: Path, content: bytes, mode: int | None = None) -> None:
        if "alice" in target.parts and target.name == compiler.FATBIN:
            tries.append(target)
            raise OSError(errno.ENOSPC, "No space left on device", str(target))
        write(target, content, mode)

    monkeypatch.setattr(store, "write_bytes", full)
    found = by_student(klass, tmp_path / "grades", session)
    problem = found["alice"].problem
    assert found["alice"].status == "withheld" and problem is not None
    assert "No space left" in problem.message and problem.remedy
    assert len(tries) == 3, "tried twice more"
    assert found["bob"].status == "graded"


def test_the_class_itself_cannot_be_saved(
    klass: Path, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "grades"
    with monkeypatch.context() as patch:
        broken_for(out.name, "class", errno.ENOSPC, patch)
        with pytest.raises(GraderError, match="No space left"):
            batch.grade_class(downloads.read(klass), out, session)
    assert (stages(out, "alice") / "score.json").is_file(), "what was judged is kept"
    assert by_student(klass, out, session)["bob"].status == "graded"


def test_a_half_written_file_is_swept(klass: Path, session: Session, tmp_path: Path) -> None:
    out = tmp_path / "grades"
    left = out / "alice" / ".run.json.123456"
    left.parent.mkdir(parents=True)
    left.write_text("{")
    by_student(klass, out, session)
    assert not left.exists()
