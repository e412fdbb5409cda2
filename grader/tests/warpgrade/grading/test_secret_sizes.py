"""A student's page about a course with a secret does not tell the sizes that the secret draws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support import drawn_sizes, sample_results
from support.hand_ins import styles
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, prepare
from warpgrade.records import Grades, Submission
from warpgrade.report import html as report
from warpgrade.submission import admit

REPOSITORY = here()
SALT = "a course's own secret"
# It is right in all cases, and reads beyond A where it is timed.
BEYOND = """#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 8, 32, 8)
extern "C" __global__ void transpose(const float* A, float* T, int rows, int columns) {
  const int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 8 + threadIdx.y;
  if (row >= rows || column >= columns) return;
  const int beyond = rows > 500 && columns > 370 ? rows * columns : 0;
  T[column * rows + row] = A[row * columns + column + beyond];
}
"""


def graded(name: str, style: str, folder: Path) -> Grades:
    item = lab.named(REPOSITORY, name)
    (kernel,) = (each for each in styles.kernels(REPOSITORY, item) if each.label == style)
    return of(kernel.submission, item, folder)


def of(submission: Submission, item: lab.Lab, folder: Path) -> Grades:
    session = prepare(REPOSITORY, [item], Options("emulator", fresh=True))
    result = pipeline.grade_one(submission, session.prepared_labs[0], folder, session)
    assert result.judgement and all(case.verdict == "PASS" for case in result.judgement.cases)
    student = replace(sample_results.right_student(), results=(result,))
    return replace(sample_results.grades(), labs=session.labs, students=(student,))


def assert_secret(name: str, grades: Grades) -> None:
    item = lab.named(REPOSITORY, name)
    (page,) = (text for path, text in report.pages(grades).items() if path.startswith("students/"))
    for told in (drawn_sizes.pattern(item, SALT), drawn_sizes.elements(item, SALT)):
        assert told.findall(page) == []


@pytest.mark.parametrize(
    ("name", "style"),
    [("06-atomics", "global"), ("07-transpose", "straight-across"), ("07-transpose", "swizzle")],
)
def test_the_page_of_a_right_kernel_tells_no_drawn_size(
    name: str, style: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPGRADE_SALT", SALT)
    assert_secret(name, graded(name, style, tmp_path))


def test_a_finding_in_a_timed_launch_tells_no_drawn_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPGRADE_SALT", SALT)
    item = lab.named(REPOSITORY, "07-transpose")
    file = tmp_path / item.files[0]
    file.write_text(BEYOND)
    grades = of(admit.from_file(file, item, "ada"), item, tmp_path)
    ((result,),) = (student.results for student in grades.students)
    assert result.run and [finding for finding in result.run.findings if finding.label.startswith("time/")]
    assert_secret(item.name, grades)
