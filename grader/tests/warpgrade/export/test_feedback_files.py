"""Pages go back under the names that the course system knows; a mail merge has one row a student."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import replace

from support import sample_results
from warpgrade.export import feedback_files
from warpgrade.records import Grades, Part, Remark

SAMPLE = sample_results.grades()
LAB = SAMPLE.labs[0]
SOME = next(s for s in SAMPLE.students if s.results and s.results[0].submission)


def downloaded(*entries: str) -> Grades:
    students = []
    for number, entry in enumerate(entries):
        (result, *_) = SOME.results
        assert result.submission is not None
        stages = replace(result.stages, submission=replace(result.submission, entry=entry))  # type: ignore[type-var]
        students.append(
            replace(SOME, id=f"s{number}", name=f"=Name {number}", results=(replace(result, stages=stages),))
        )
    return replace(SAMPLE, students=tuple(students))


def names(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert all(b"<!doctype html>" in archive.read(name) for name in archive.namelist())
        return archive.namelist()


def test_moodle_takes_folders_and_files() -> None:
    made = feedback_files.moodle(
        downloaded(
            "Ann Poe_901_assignsubmission_file",
            "Bo Li_902_assignsubmission_file_",
            "Cy_903_assignsubmission_file_kernel.cu",
            "plain.zip",
        ),
        LAB,
    )
    assert names(made.content) == [
        "Ann Poe_901_assignsubmission_file_/feedback.html",
        "Bo Li_902_assignsubmission_file_/feedback.html",
        "Cy_903_assignsubmission_file_feedback.html",
    ]
    assert made.written == 3 and made.nameless == ("s3",)


def test_a_file_of_a_group_is_written_once() -> None:
    made = feedback_files.canvas(downloaded(*["doejane_10442_55_kernel.cu"] * 2, ""), LAB)
    assert names(made.content) == ["doejane_10442_55_feedback.html"]
    assert made.nameless == ("s1", "s2")


def test_canvas_keeps_user_and_attachment() -> None:
    made = feedback_files.canvas(
        downloaded("doejane_10442_55_kernel.cu", "roe_LATE_10444_57_my_kernel-1.cu", "x"), LAB
    )
    assert names(made.content) == ["doejane_10442_55_feedback.html", "roe_LATE_10444_57_feedback.html"]
    assert made.nameless == ("s2",)


def test_the_same_grades_give_the_same_bytes() -> None:
    grades = downloaded("a_1_2_k.cu")
    assert feedback_files.canvas(grades, LAB).content == feedback_files.canvas(grades, LAB).content


def test_a_mail_merge_has_the_rosters_columns_and_no_formula() -> None:
    people = {"s0": {"email": "ann@example.edu"}}
    rows = list(csv.DictReader(io.StringIO(feedback_files.mail_merge(downloaded("a", "b"), LAB, people))))
    assert [row["email"] for row in rows] == ["ann@example.edu", ""]
    assert rows[0]["name"].startswith("'=") and rows[0]["possible"] == "100" and rows[0]["next_step"]


def test_a_mail_merge_says_what_late_days_and_remarks_cost() -> None:
    grades = downloaded("a")
    late = Part("adjustment", "late", -20.0, 0.0, "2 days late")
    marked = Part("review", "naming", -2.0, 0.0, "line 3: names")
    student = sample_results.with_parts(grades.students[0], marked, late)
    remarks = (Remark("See me."), Remark("names", -2.0, line=3, item="naming"))
    student = replace(student, results=(replace(student.results[0], remarks=remarks),))
    (row,) = csv.DictReader(
        io.StringIO(feedback_files.mail_merge(replace(grades, students=(student,)), LAB, {}))
    )
    assert (
        row["remarks"] == "See me.; 02-tiled: -2 (naming: line 3: names); 02-tiled: -20 (late: 2 days late)"
    )
