"""Points are written in one way: on the page, in the terminal, in the gradebook and in what is exported."""

from __future__ import annotations

import json
from dataclasses import replace

from support import sample_results
from support.pages.console import shown
from warpgrade.export import gradescope, results
from warpgrade.report import html, terminal_check


def test_one_student_has_the_same_digits_everywhere() -> None:
    grades = sample_results.grades()
    student = sample_results.right_student()
    result = student.results[0]
    assert result.score is not None
    result = replace(result, score=replace(result.score, total=93.27))
    student = replace(student, results=(result,))
    grades = replace(grades, students=(student,))
    assert "93.27" in results.gradebook(grades)
    assert "93.27 of" in shown(*terminal_check.total_lines(grades.labs[0], result, 80))
    assert "93.27 of" in json.loads(gradescope.results_json(grades.labs[0], result))["output"]
    for page in html.pages(grades).values():
        assert "93.27" in page and "93.3 " not in page
