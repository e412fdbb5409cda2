"""class.json: written and read student by student."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from support import sample_results
from warpgrade.core import store
from warpgrade.core.errors import UsageError
from warpgrade.core.lazy_sequence import LazySequence
from warpgrade.grading import saved_students
from warpgrade.grading.saved_students import path_of
from warpgrade.records import Grades, Student

GRADES = sample_results.grades()
COUNT = len(GRADES.students)


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Grades:
    """The sample as a class that is not kept in memory."""
    monkeypatch.setattr(saved_students, "MOST_KEPT", 0)
    saved_students.save(GRADES, GRADES.students, tmp_path)
    loaded = saved_students.load(tmp_path)
    assert loaded is not None and isinstance(loaded.students, LazySequence)
    return loaded


def test_a_small_class_is_kept(tmp_path: Path) -> None:
    saved_students.save(GRADES, GRADES.students, tmp_path)
    assert saved_students.load(tmp_path) == GRADES


def test_each_student_has_a_line_of_valid_json(tmp_path: Path) -> None:
    saved_students.save(GRADES, GRADES.students, tmp_path)
    text = path_of(tmp_path).read_text("utf-8")
    assert len(text.splitlines()) == COUNT + 2
    saved = [student["id"] for student in json.loads(text)["record"]["students"]]
    assert saved == [student.id for student in GRADES.students]


def test_a_large_class_is_read_where_it_is_asked_for(large: Grades) -> None:
    assert large.students == GRADES.students and len(large.students) == COUNT
    assert large.students[-1] == GRADES.students[-1] and tuple(large.students[1:3]) == GRADES.students[1:3]
    assert large.students != GRADES.students[1:]
    with pytest.raises(IndexError):
        large.students[COUNT]


def test_two_may_go_through_it_at_once(large: Grades) -> None:
    assert [one.id for one, _ in zip(large.students, large.students, strict=True)] == [
        student.id for student in GRADES.students
    ]


def test_it_outlives_its_file(large: Grades, tmp_path: Path) -> None:
    """A grading reads the old class while it writes the new one."""
    changed = (replace(student, section="B") for student in large.students)
    saved_students.save(large, changed, tmp_path)
    assert {student.section for student in large.students} == {student.section for student in GRADES.students}
    again = saved_students.load(tmp_path)
    assert again is not None and {student.section for student in again.students} == {"B"}


def test_what_is_made_of_each(large: Grades) -> None:
    def renamed(student: Student) -> Student:
        return replace(student, name=student.id.upper())

    assert isinstance(large.students, LazySequence)
    made = large.students.map(renamed)
    assert [student.name for student in made] == [student.id.upper() for student in GRADES.students]


def test_an_empty_class(tmp_path: Path) -> None:
    saved_students.save(GRADES, (), tmp_path)
    assert saved_students.load(tmp_path) == replace(GRADES, students=())


def test_a_class_of_an_older_grader(tmp_path: Path) -> None:
    store.save(tmp_path, "class", "", GRADES)
    assert saved_students.load(tmp_path) == GRADES


@pytest.mark.parametrize("cut", [1, 5, 2000])
def test_a_file_without_its_end_holds_nothing(tmp_path: Path, cut: int) -> None:
    saved_students.save(GRADES, GRADES.students, tmp_path)
    path_of(tmp_path).write_bytes(path_of(tmp_path).read_bytes()[:-cut])
    assert saved_students.load(tmp_path) is None
    assert saved_students.load(tmp_path / "elsewhere") is None


def test_a_damaged_line_is_named(large: Grades, tmp_path: Path) -> None:
    lines = path_of(tmp_path).read_bytes().splitlines(keepends=True)
    path_of(tmp_path).write_bytes(b"".join([*lines[:2], b"{},\n", *lines[3:]]))
    damaged = saved_students.load(tmp_path)
    assert damaged is not None and damaged.students[0] == GRADES.students[0]
    with pytest.raises(UsageError, match="cannot be read") as raised:
        list(damaged.students)
    assert str(path_of(tmp_path)) in str(raised.value)
