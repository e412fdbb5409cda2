"""What people write changes a score in parts that add up, and twice the same as once."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from support.fake_repository import write
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import here
from warpgrade.course import lab, reviews
from warpgrade.course.policy import Late, Policy
from warpgrade.judge import late_policy
from warpgrade.judge.reviews import reviewed, unmatched
from warpgrade.records import (
    Grades,
    Part,
    Result,
    Score,
    Setting,
    SourceFile,
    StageRecords,
    Student,
    Submission,
)

TESS = """\
lab = "02-b"
by = "Tess"

[rubric.naming]
text = "Names say what they hold."
points = -2

[[comment]]
student = "ann"
line = 17
text = "This loop is never left."

[[mark]]
student = "ann"
item = "naming"
line = 3

[[override]]
student = "ann"
part = "case small"
points = 20
reason = "the handout was unclear"

[[answer]]
student = "ann"
text = "You are right."
"""
TOM = """\
[[mark]]
student = "anon-1"
lab = "02-b"
item = "naming"
points = -1
attempt = 2
"""


def result(lab: str = "02-b", attempt: int = 1, total: float | None = 60.0) -> Result:
    parts = (Part("case", "small", 10.0, 20.0), Part("performance", "performance", 50.0, 80.0))
    return Result(lab, "graded", score=Score(total, 100.0, parts), attempt=attempt, request="why?")


@pytest.fixture
def written(tmp_path: Path) -> reviews.Reviews:
    write(tmp_path / "tess.toml", TESS)
    write(tmp_path / "tom.toml", TOM)
    return reviews.load(tmp_path)


def the_sum(found: Result) -> float:
    assert found.score is not None and found.score.total is not None
    assert math.isclose(found.score.total, math.fsum(part.earned for part in found.score.parts))
    return found.score.total


def test_everything_is_in_the_sum_and_named(written: reviews.Reviews) -> None:
    student = Student("ann", "Ann", "", (result(), result("01-a")))
    found, other = reviewed(student, written).results
    assert the_sum(found) == 68 and other == result("01-a")
    added = found.score.parts[2:] if found.score else ()
    assert [(part.name, part.earned) for part in added] == [("case small", 10), ("naming", -2)]
    assert [remark.line for remark in found.remarks] == [17, 3] and found.answer == "You are right."
    assert {remark.by for remark in found.remarks} == {"Tess"}


def test_a_second_time_changes_nothing(written: reviews.Reviews) -> None:
    policy = Policy(late=Late(percent_a_day=10), late_days={("ann", "02-b"): 1})
    once = late_policy.adjusted(reviewed(Student("ann", "", "", (result(),)), written), policy)
    assert the_sum(once.results[0]) == 61.2, "late days take their share of what people gave"
    assert late_policy.adjusted(reviewed(once, written), policy) == once


def test_a_pseudonym_and_an_attempt_are_understood(written: reviews.Reviews) -> None:
    student = Student("bob", "Bob", "", (result(attempt=2),), earlier=(result(),))
    found = reviewed(student, written, {"bob": "anon-1"})
    assert the_sum(found.results[0]) == 59 and the_sum(found.earlier[0]) == 60


def test_withheld_points_stay_withheld(written: reviews.Reviews) -> None:
    found = reviewed(Student("ann", "", "", (result(total=None),)), written).results[0]
    assert found.score is not None and found.score.total is None and found.remarks


def test_a_deduction_stops_at_zero(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", 'lab = "02-b"\n[[comment]]\nstudent = "ann"\ntext = "no"\npoints = -500\n')
    assert the_sum(reviewed(Student("ann", "", "", (result(),)), reviews.load(tmp_path)).results[0]) == 0


def test_what_is_about_nothing_is_said(written: reviews.Reviews, tmp_path: Path) -> None:
    text = '[[override]]\nstudent = "ann"\nlab = "02-b"\npart = "case large"\npoints = 1\nreason = "r"\n'
    write(tmp_path / "z.toml", text)
    setting = Setting("", "", "", "", "", "", "")
    grades = Grades(setting, (), (Student("ann", "", "", (result(),)),))
    found = unmatched(reviews.load(tmp_path), grades)
    assert found == [
        "tom.toml:1: anon-1 has no attempt 2 at 02-b",
        "z.toml:1: 02-b has no part 'case large'; its parts are case small, performance",
    ]


def about_ann(tmp_path: Path, text: str) -> list[str]:
    """What is said of a review of Ann's file of two lines."""
    handed_in = Submission("ann", "02-b", "ann.zip", (SourceFile("kernel.cu", "one\ntwo\n"),), "")
    ann = Student("ann", "", "", (replace(result(), stages=StageRecords(submission=handed_in)),))
    write(tmp_path / "r.toml", f'lab = "02-b"\n{text}')
    return unmatched(reviews.load(tmp_path), Grades(Setting("", "", "", "", "", "", ""), (), (ann,)))


@pytest.mark.parametrize(("points", "is_noted"), [(20, False), (20.5, True), (200, True)])
def test_an_override_above_all_points_of_its_part_is_noted_and_not_applied(
    tmp_path: Path, points: float, is_noted: bool
) -> None:
    row = f'[[override]]\nstudent = "ann"\npart = "small"\npoints = {points}\nreason = "r"\n'
    noted = f"r.toml:2: {points:g} points for 'small', which has 20, is not applied; correct"
    assert [each.startswith(noted) for each in about_ann(tmp_path, row)] == [True] * is_noted
    (found,) = reviewed(Student("ann", "", "", (result(),)), reviews.load(tmp_path)).results
    assert the_sum(found) == (60 if is_noted else 70)


def test_the_guides_override_is_of_a_part_that_the_lab_has(tmp_path: Path) -> None:
    guide = (here().root / "docs" / "teaching-assistants.md").read_text(encoding="utf-8")
    (block,) = (each for each in re.findall(r"```toml\n(.*?)```", guide, re.DOTALL) if "[[override]]" in each)
    write(tmp_path / "guide.toml", block)
    (override,) = reviews.load(tmp_path).overrides
    cases = {f"case {case.name}": case.points for case in lab.named(here(), override.about.lab).cases}
    assert override.points <= cases[override.part]


@pytest.mark.parametrize(
    ("place", "noted"),
    [
        ("line = 2", []),
        ('file = "kernel.cu"', []),
        ("line = 1700", ["r.toml:2: kernel.cu of ann has 2 lines, and no line 1700; correct line or file"]),
        ('file = "a.cu"', ["r.toml:2: ann handed in no file 'a.cu' at 02-b; correct it"]),
    ],
)
def test_a_comment_on_no_line_of_the_hand_in_is_noted(tmp_path: Path, place: str, noted: list[str]) -> None:
    assert about_ann(tmp_path, f'[[comment]]\nstudent = "ann"\ntext = "t"\n{place}\n') == noted


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('[[comment]]\nstudent = "ann"\ntext = "t"\n', 1, "names no lab"),
        ('lab = "a"\n[[mark]]\nstudent = "ann"\nitem = "none"\n', 4, "rubric has no 'none'"),
        ('lab = "a"\n[[comment]]\nstudent = "ann"\n', 2, "text"),
        ('[rubric.naming]\ntext = "t"\npoints = 1\n', 1, "has 'naming' already"),
        (
            'lab = "a"\n' + 2 * '[[override]]\nstudent = "a"\npart = "p"\npoints = 1\nreason = ""\n',
            7,
            "twice",
        ),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    write(tmp_path / "a.toml", TESS)
    write(tmp_path / "b.toml", text)
    with pytest.raises(InstructorError, match=message) as caught:
        reviews.load(tmp_path)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("where", "total"),
    [("line = 2", 63), ("line = 1700", 60), ('file = "a.cu"', 60), ('file = "kernel.cu"\nline = 3', 60)],
)
def test_points_for_what_is_not_there_are_held(where: str, total: float, tmp_path: Path) -> None:
    text = f'lab = "02-b"\n[[comment]]\nstudent = "ann"\n{where}\ntext = "Good."\npoints = 3\n'
    write(tmp_path / "r.toml", text)
    handed_in = Submission("ann", "02-b", "", (SourceFile("kernel.cu", "a\nb\n"),), "0")
    student = Student("ann", "", "", (replace(result(), stages=StageRecords(submission=handed_in)),))
    rows = reviews.load(tmp_path)
    (found,) = reviewed(student, rows).results
    assert the_sum(found) == total and found.remarks[0].text == "Good."
    notes = unmatched(rows, Grades(Setting("", "", "", "", "", "", ""), (), (student,)))
    assert ["its points are not applied" in note for note in notes] == [True] * (total == 60)


def test_a_line_of_one_attempt_keeps_its_points_in_the_other(tmp_path: Path) -> None:
    write(
        tmp_path / "r.toml",
        'lab = "02-b"\n[[comment]]\nstudent = "ann"\nline = 2\ntext = "Good."\npoints = 3\n',
    )

    def attempt(number: int, text: str) -> Result:
        handed_in = Submission("ann", "02-b", "", (SourceFile("kernel.cu", text),), "0")
        return replace(result(attempt=number), stages=StageRecords(submission=handed_in))

    student = Student("ann", "", "", (attempt(2, "a"),), earlier=(attempt(1, "a\nb"),))
    found = reviewed(student, reviews.load(tmp_path))
    assert the_sum(found.results[0]) == the_sum(found.earlier[0]) == 63


def test_an_override_that_changes_nothing_is_noted_and_leaves_no_record(tmp_path: Path) -> None:
    row = '[[override]]\nstudent = "ann"\npart = "small"\npoints = 10\nreason = "r"\n'
    write(tmp_path / "r.toml", f'lab = "02-b"\n{row}')
    student, rows = Student("ann", "", "", (result(),)), reviews.load(tmp_path)
    (found,) = reviewed(student, rows).results
    assert found.score == result().score
    (note,) = unmatched(rows, Grades(Setting("", "", "", "", "", "", ""), (), (student,)))
    assert note.startswith("r.toml:2: ann has 10 points") and "changes nothing" in note
