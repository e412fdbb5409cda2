"""Canvas's and Moodle's own sheets, filled: only the cells that are ours change."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from support import sample_results
from warpgrade.core.errors import UsageError
from warpgrade.export import lms_sheets
from warpgrade.records import Grades, Student

SAMPLE = sample_results.grades()
LAB = SAMPLE.labs[0]
RIGHT = next(s for s in SAMPLE.students if s.results and s.results[0].score and s.results[0].score.total)
OUR_FAULT = next(
    s
    for s in SAMPLE.students
    if s.results and (s.results[0].score is None or s.results[0].score.total is None)
)


def student(id: str, name: str, entry: str, like: Student = RIGHT) -> Student:
    return replace(like, id=id, name=name, entry=entry)


CLASS = replace(
    SAMPLE,
    students=(
        student("doejane", "doejane", "doejane_10442_55_kernel.cu"),
        student("doejane-1f", "doejane", "doejane_10443_56_kernel.cu"),
        student("roejohn", "roejohn", "roejohn_LATE_10444_57_kernel.cu", OUR_FAULT),
        student("Muster-Zoe", "Muster Zoé", "Muster Zoé_901_assignsubmission_file", RIGHT),
        student("lost", "lost", "lost_1_2_kernel.cu"),
    ),
)
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,02-tiled (889),Other (890),Final Score\r\n"
    "    Points Possible,,,,,10,5,(read only)\r\n"
    '"Doe, Jane",10442,s1,jane,"A, B",,3,80\r\n'
    '"Doe, Jane",10443,s2,jane2,A,,4,81\r\n'
    '"Roe, John",10444,s3,john,A,7,=1+1,82\r\n'
    '"Nobody, At All",10445,s4,none,A,,1,83\r\n'
    '"Student, Test",,,tt,A,,,\r\n'
)
MOODLE = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 901,Muster Zoe,z@example.edu,Submitted,,50.00,Yes,"Friday, 1 May",-,\n'
    'Participant 777,Someone Else,e@example.edu,No submission,,50.00,Yes,-,-,"kept, as it is"\n'
)


def rows(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def total_of(one: Student) -> float:
    score = one.results[0].score
    assert score is not None and score.total is not None
    return score.total


def written(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def test_canvas() -> None:
    filled = lms_sheets.canvas(CANVAS, CLASS, LAB)
    before, after = rows(CANVAS), rows(filled.text)
    points = written(total_of(RIGHT) / 10)
    assert [row[5] for row in after[2:]] == [points, points, "7", "", ""], (
        "by user id, though names are equal"
    )
    for old, new in zip(before, after, strict=True):
        assert old[:5] + old[6:] == new[:5] + new[6:], "nothing else has changed"
    assert filled.filled == 2 and filled.strangers == ("Nobody, At All",)
    assert set(filled.missing) == {"Muster-Zoe", "lost"}
    assert "\r\n" in filled.text


def test_canvas_by_name_where_there_is_one_of_it() -> None:
    alone: Grades = replace(CLASS, students=(student("doejane", "Jane Doe", "jane.zip"),))
    sheet = 'Student,ID,Section,02-tiled\n"Doe, Jane",1,A,\n"Doe, Janet",2,A,\n'
    assert [row[3] for row in rows(lms_sheets.canvas(sheet, alone, LAB).text)[1:]] == [
        written(total_of(RIGHT)),
        "",
    ]


def test_two_of_one_name_are_nobody() -> None:
    twins = replace(CLASS, students=(student("a", "Jane Doe", "a.zip"), student("b", "Jane Doe", "b.zip")))
    filled = lms_sheets.canvas('Student,ID,Section,02-tiled\n"Doe, Jane",1,A,\n', twins, LAB)
    assert filled.filled == 0 and filled.strangers == ("Doe, Jane",)


def test_canvas_needs_a_column() -> None:
    with pytest.raises(UsageError) as error:
        lms_sheets.canvas("Student,ID,Section,Homework 1 (3)\nA,1,B,\n", CLASS, LAB)
    assert "Homework 1 (3)" in error.value.remedy
    sheet = "Student,ID,Section,Homework 1 (3)\nA,1,B,\n"
    assert lms_sheets.canvas(sheet, CLASS, LAB, "Homework 1").text
    with pytest.raises(UsageError, match="no gradebook of Canvas"):
        lms_sheets.canvas("a,b\n1,2\n", CLASS, LAB)
    with pytest.raises(UsageError, match="is no CSV"):
        lms_sheets.canvas(f"Student,ID\n{'a' * 200_000},1\n", CLASS, LAB)


def test_moodle() -> None:
    filled = lms_sheets.moodle(MOODLE, CLASS, LAB)
    before, after = rows(MOODLE.removeprefix("\ufeff")), rows(filled.text)
    assert after[1][4] == written(total_of(RIGHT) / 2), "of 50 points"
    assert after[1][9], "feedback says what to do next"
    assert after[2] == before[2] and after[0] == before[0]
    assert filled.filled == 1


@pytest.mark.parametrize("head", ["Kennung;Name;Bewertung;Bestwertung;Feedback als Kommentar"])
def test_moodle_in_another_language(head: str) -> None:
    filled = lms_sheets.moodle(f"{head}\nTeilnehmer/in 901;Muster Zoe;;100;\n", CLASS, LAB)
    assert rows(filled.text, ";")[1][2] == written(total_of(RIGHT))


def test_moodle_with_headings_that_nobody_knows() -> None:
    sheet = "Id,Who,Piste,Sana\nOsallistuja 901,Muster Zoe,,\n"
    with pytest.raises(UsageError) as error:
        lms_sheets.moodle(sheet, CLASS, LAB)
    assert "--column" in error.value.remedy and "Piste" in error.value.remedy
    filled = lms_sheets.moodle(sheet, CLASS, LAB, "Piste", "Sana")
    assert rows(filled.text)[1][2] == written(total_of(RIGHT)) and rows(filled.text)[1][3]


def test_what_we_write_is_no_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lms_sheets, "_feedback", lambda lab, result: '=HYPERLINK("evil")')
    assert rows(lms_sheets.moodle(MOODLE, CLASS, LAB).text)[1][9].startswith("'=")
