"""Questions of the handouts as quizzes: every page that asks, with variants and the answer for staff."""

from __future__ import annotations

from support.pages import rendered
from warpgrade.core.paths import here
from warpgrade.handouts import quizzes


def test_every_question_is_there_with_its_answer() -> None:
    found = quizzes.of_handouts(here(), 2)
    asked = {
        page.name: [each.name for each in page.questions]
        for page in rendered.handouts(here())
        if page.questions
    }
    assert {quiz.name: [each.name for each in quiz.questions] for quiz in found} == asked
    every = [question for quiz in found for question in quiz.questions]
    assert all(variant.key and variant.answer is None for each in every for variant in each.variants)
    assert any(len(each.variants) == 2 for each in every)
