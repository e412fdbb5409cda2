"""Every rule of partial credit is reached by a wrong answer, and no sentence gives the answer away."""

from __future__ import annotations

from typing import Any

import pytest

from support import lab_questions
from warpgrade.answers.marking import AnswerMark, mark
from warpgrade.answers.questions import DrawnQuestion
from warpgrade.core.paths import here

LAB = lab_questions.of_lab(here(), "08-occupancy")
DRAWN = LAB.draw("salt|alice")


def submitted(question: DrawnQuestion, answer: float) -> Any:
    return question.options[int(answer)] if question.options else answer


def test_the_key_earns_every_point() -> None:
    key = {question.name: submitted(question, question.answer) for question in DRAWN}
    assert mark(DRAWN, key).earned == mark(DRAWN, key).possible == 100


@pytest.mark.parametrize("index", range(len(LAB.names)), ids=LAB.names)
def test_every_near_miss_earns_its_share_for_some_values(index: int) -> None:
    reached, rules = set(), set()
    for question in LAB.combinations(index):
        for miss in question.near_misses:
            rules.add(miss.name)
            answer = mark([question], {question.name: submitted(question, miss.answer)}).answers[0]
            if answer.rule == miss.name:
                reached.add(miss.name)
                assert answer.earned == question.points * miss.share
                assert (answer.mark, answer.sentence) == (AnswerMark.NEAR_MISS, miss.feedback)
    assert reached == rules


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("3", "without quotation marks"),
        ("3 blocks", "and unit"),
        ("3,5", "with a point and no comma"),
        (True, "not true or false"),
        ([3], "not a list"),
        ({"a": 1}, "not a table"),
        (float("nan"), "finite"),
        (float("inf"), "finite"),
        pytest.param(1 << 200_000, "too large", id="huge"),
    ],
)
def test_a_value_of_the_wrong_kind_gets_a_sentence(given: Any, sentence: str) -> None:
    answer = mark(DRAWN[:1], {DRAWN[0].name: given}).answers[0]
    assert (answer.mark, answer.earned) == (AnswerMark.UNREADABLE, 0)
    assert sentence in answer.sentence


def test_tolerance_unknown_keys_and_options() -> None:
    bound = next(question for question in DRAWN if question.name == "bandwidth-bound")
    assert mark([bound], {bound.name: bound.answer * 1.009}).earned == bound.points
    assert mark([bound], {bound.name: bound.answer * 1.02}).earned == 0
    assert mark([bound], {"bandwith-bound": 1}).remarks == (
        "There is no question 'bandwith-bound'; is it 'bandwidth-bound'?",
    )
    listing = next(question for question in DRAWN if question.options)
    assert "it is one of" in mark([listing], {listing.name: "maybe"}).answers[0].sentence


def test_a_fraction_where_a_whole_number_is_asked_for() -> None:
    question = DRAWN[0]
    for given, is_said in ((question.answer + 0.33, True), (question.answer + 5, False)):
        answer = mark([question], {question.name: given}).answers[0]
        assert answer.mark is AnswerMark.WRONG and question.feedback in answer.sentence
        assert answer.sentence.startswith("The answer is a whole number") == is_said
    with_fraction = next(each for each in DRAWN if each.tolerance)
    wrong = mark([with_fraction], {with_fraction.name: with_fraction.answer * 3.7 + 0.1}).answers[0]
    assert wrong.sentence == with_fraction.feedback


@pytest.mark.parametrize(
    ("unit", "key", "given", "sentence"),
    [
        ("%", 88.0, 0.88, "Right but for a factor of 100: the answer is in %."),
        ("GB/s", 86.5, 86_500, "Right but for a factor of 1,000: the answer is in GB/s."),
        ("GB/s", 86.5, 86_500_000_000, "Right but for a factor of 1,000,000,000: the answer is in GB/s."),
        ("KiB", 4.0, 4096, "Right but for a factor of 1,024: the answer is in KiB."),
        ("%", 88.0, 0.8, "own sentence"),
        ("", 4.0, 4000, "own sentence"),
        ("GB/s", 86.5, 0, "own sentence"),
        ("GB/s", 86.5, 10**200, "own sentence"),
    ],
)
def test_of_a_right_answer_in_another_unit_the_message_says_that(
    unit: str, key: float, given: float, sentence: str
) -> None:
    question = DrawnQuestion("q", "?", key, (), unit, 0.01, 8, "own sentence", ())
    (answer,) = mark([question], {"q": given}).answers
    assert (answer.mark, answer.earned, answer.sentence) == (AnswerMark.WRONG, 0, sentence)
