"""What the terminal shows: enough to act on, nothing hidden, nothing that a terminal obeys."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from support.fake_repository import LAB, hand_in, write
from warpgrade.export import results
from warpgrade.grading import batch
from warpgrade.grading.session import Session
from warpgrade.records import Fault, Grades, Problem
from warpgrade.report import html, terminal
from warpgrade.submission import downloads


@pytest.fixture
def grades(class_folder: Path, session: Session) -> Grades:
    hand_in(class_folder, "alice")
    hand_in(class_folder, "bob", "first: wrong", "second: wrong", "third: race")
    hand_in(class_folder, "carol", "first: race")
    hand_in(class_folder, "dan", "[red]SYNTAX[/red]")
    hand_in(class_folder, "erin", "first: crash")
    write(class_folder / "frank.zip", "broken")
    return batch.grade_class(downloads.read(class_folder), session.repository.root / "grades", session)


def shown(*lines: object, width: int = 200) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, highlight=False)
    for line in lines:
        console.print(line, soft_wrap=True)
    return stream.getvalue()


def test_a_hand_in_of_several_files_is_named(class_folder: Path, session: Session) -> None:
    """To staff in the terminal, and to the student on the page."""
    hand_in(class_folder, "alice")
    write(class_folder / "alice" / LAB / "kernel (1).cu", "newer")
    out = session.repository.root / "grades"
    grades = batch.grade_class(downloads.read(class_folder), out, session)
    html.render(grades, out)
    results.write(grades, out)
    (line,) = terminal.choices(grades)
    note = f"graded {LAB}/kernel.cu; left out {LAB}/kernel (1).cu"
    assert line == f"alice, {LAB}: {note}"
    assert note in (out / "students" / "alice.html").read_text("utf-8")
    assert note in (out / "results.json").read_text("utf-8")


def test_class_table(grades: Grades) -> None:
    rows = {
        line.split()[0]: line.split()[1:] for line in shown(terminal.class_table(grades).table).splitlines()
    }
    assert rows["alice"] == ["100"]
    assert rows["bob"] == ["10", "≠⇄"]
    assert rows["dan"] == ["0", "✗"]
    assert rows["erin"] == ["withheld"]
    assert rows["frank"][0] == "–"
    assert [line[:5] for line in terminal.remarks(grades)] == ["frank", "  → p"]
    assert "cannot be read" in terminal.remarks(grades)[0]
    assert terminal.legend(grades) == "≠ wrong answer   ⇄ race   ? grader error   ✗ does not build"


def test_labs_that_nobody_has_handed_in_take_no_room(grades: Grades) -> None:
    """Of a course of twenty labs, a narrow terminal would show the first ones, and no points."""
    others = tuple(replace(grades.labs[0], name=f"{number:02}-later") for number in range(20, 40))
    table = terminal.class_table(replace(grades, labs=(*others, *grades.labs)), 100).table
    assert [column.header for column in table.columns] == ["student", *(lab.name for lab in grades.labs)]
    nobody = terminal.class_table(replace(grades, students=(), labs=others), 1000).table
    assert len(nobody.columns) == 1 + len(others)


def test_a_narrow_class_table_breaks_no_word(grades: Grades) -> None:
    labs = tuple(
        replace(grades.labs[0], name=f"0{number}-a-very-long-name-of-a-lab") for number in range(1, 5)
    )
    student = replace(grades.students[0], id="a" * 60)
    wide = replace(grades, labs=labs, students=(student, *grades.students[1:]))
    lines = shown(terminal.class_table(wide, 80).table, width=80).splitlines()
    assert lines[0].split() == ["student", "01", "02", "03", "04"]
    assert len(lines) == 1 + len(grades.students) and max(map(len, lines)) <= 80


@pytest.mark.parametrize("width", [40, 80, 120, 2000])
def test_a_terminal_without_room_for_all_labs_says_which_are_left_out(grades: Grades, width: int) -> None:
    labs = tuple(replace(grades.labs[0], name=f"{number:02}-lab") for number in range(1, 20))
    bob = next(each for each in grades.students if each.id == "bob")
    done = tuple(replace(bob.results[0], lab=lab.name) for lab in labs)
    many = replace(grades, labs=labs, students=(replace(bob, id="maximiliane-of-b", results=done),))
    made = terminal.class_table(many, width)
    head, row = shown(made.table, width=width).splitlines()
    columns = head.split()[1:]
    assert len(columns) + len(made.left_out) == len(labs) and row.count("10 ≠⇄") == len(columns) >= 2
    assert made.left_out == tuple(lab.name for lab in labs[: len(made.left_out)]) and len(row) <= width
    assert row.startswith("maximiliane"), "eleven letters and an ellipsis are twelve columns"
    assert bool(made.left_out) == (width < 2000)


def test_problem_lines() -> None:
    lines = terminal.problem_lines(Problem(Fault.INSTRUCTOR, "is [bold]wrong", "lab.toml:3", "repair it"))
    assert shown(*lines) == "instructor: lab.toml:3: is [bold]wrong\n  → repair it\n"
    long = Problem(Fault.COMMAND, "word " * 30 + "\n  nvcc's line", "a/very/long/path.cu", "do " * 40)
    lines = shown(*terminal.problem_lines(long, 60)).splitlines()
    assert max(map(len, lines)) <= 60 and "  nvcc's line" in lines
    assert [line for line in lines if line.startswith("    do")], "what continues stands below its beginning"


def test_what_helps_several_is_said_once(grades: Grades) -> None:
    broken = next(each for each in grades.students if each.problem)
    remedy = broken.problem.remedy if broken.problem else ""
    twice = replace(grades, students=(broken, *grades.students))
    assert [remedy in line for line in terminal.remarks(twice)] == [False, False, True]
