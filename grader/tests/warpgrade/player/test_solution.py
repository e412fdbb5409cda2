"""Who may step through a solution beside a kernel of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from support.programs.recordings import LAB, REPOSITORY
from warpgrade.cli import main
from warpgrade.core.errors import InstructorError, UsageError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.handouts import course
from warpgrade.player import solution
from warpgrade.records import LabKind
from warpgrade.solution import markers
from warpgrade.staff import release

LABS = lab.find(REPOSITORY)


def allow(patch: pytest.MonkeyPatch, *names: str) -> None:
    known = replace(course.load(REPOSITORY.root), compare_with_solution=names)
    patch.setattr(release.course, "load", lambda root: known)


def test_by_default_no_solution_is_in_the_students_archive() -> None:
    assert course.load(REPOSITORY.root).compare_with_solution == ()
    assert not list(release._solutions(REPOSITORY, LABS))


def test_a_course_allows_it_lab_by_lab(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    allow(monkeypatch, LAB.name)
    (packed,) = release._solutions(REPOSITORY, LABS)
    assert packed.path == f"labs/{LAB.name}/{solution.RELEASED}"
    own = (REPOSITORY.solution(LAB.name) / LAB.files[0]).read_text()
    assert packed.content.decode() == markers.cut(own, "kernel.cu", markers.View.STAFF)
    students = Repository(tmp_path)
    (students.labs / LAB.name).mkdir(parents=True)
    with pytest.raises(UsageError, match="is your instructors' decision") as raised:
        solution.of_lab(students, LAB)
    assert "compare_with_solution" in (raised.value.remedy or "") and "--with FILE" in (
        raised.value.remedy or ""
    )
    (tmp_path / packed.path).write_bytes(packed.content)
    assert solution.of_lab(students, LAB) == tmp_path / packed.path
    assert solution.of_lab(REPOSITORY, LAB) == REPOSITORY.solution(LAB.name) / LAB.files[0]


def test_a_lab_that_cannot_be_played_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = next(item for item in LABS if item.kind is LabKind.ANSWERS)
    allow(monkeypatch, other.name)
    with pytest.raises(InstructorError, match=other.name):
        list(release._solutions(REPOSITORY, LABS))


def test_the_row_names_labs_that_exist(tmp_path: Path) -> None:
    text = (REPOSITORY.root / course.FILE).read_text()
    (tmp_path / "handouts").mkdir()
    (tmp_path / course.FILE).write_text(
        text.replace("policies =", 'compare_with_solution = ["99-no"]\npolicies =')
    )
    with pytest.raises(InstructorError, match="compare_with_solution names the lab '99-no'"):
        course.load(tmp_path)


def test_a_missing_solution_is_an_error_before_anything_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Repository, "solution", lambda self, name: Path("/nonexistent"))
    done = CliRunner().invoke(main.cli, ["play", LAB.name, "--with", "solution"])
    assert done.exit_code == 2 and "your instructors' decision" in done.output
