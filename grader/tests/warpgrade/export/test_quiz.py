"""Variants of questions: each has its own key, and slips differ from it."""

from __future__ import annotations

import pytest

from warpgrade.answers import questions
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.export import quiz
from warpgrade.records import LabKind

LABS = [each.name for each in lab.find(here()) if each.kind is LabKind.ANSWERS]


@pytest.mark.parametrize("name", LABS)
def test_every_variant_is_one_that_a_student_may_get(name: str) -> None:
    drawn = questions.of_lab(here(), name)
    made = quiz.of_questions(name, "Title", drawn, 5)
    assert [question.name for question in made.questions] == list(drawn.names)
    for index, question in enumerate(made.questions):
        possible = {(f"<p>{_escaped(each.text)}", float(each.answer)) for each in drawn.combinations(index)}
        assert 1 <= len(question.variants) <= 5
        for variant in question.variants:
            text = variant.text.partition(" <em>")[0].removesuffix("</p>")
            assert (text, variant.answer) in possible
            assert variant.answer not in [slip.answer for slip in variant.slips]
    assert any(len(question.variants) == 5 for question in made.questions)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def test_numbers_are_written_plainly() -> None:
    assert [quiz.number(value) for value in (12.0, 0.1, -3.0)] == ["12", "0.1", "-3"]
