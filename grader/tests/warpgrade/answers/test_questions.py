"""questions.toml: every combination of values has an answer; a student's values follow from the seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.answers import questions
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import here

QUESTION = """\
[[question]]
name = "warps"
text = "Warps of {threads} threads?"
choose = { threads = [64, 96] }
answer = "ceil(threads / 32)"
points = 4
feedback = "Round up."
"""


def load(tmp_path: Path, text: str) -> questions.QuestionFile:
    file = tmp_path / questions.FILE
    file.write_text(text)
    return questions.load(file, here())


def test_the_occupancy_questions_make_100_points_and_depend_on_the_seed() -> None:
    found = questions.load(here().solution("08-occupancy") / questions.FILE, here())
    assert found.points == 100
    assert found.draw("salt|alice") == found.draw("salt|alice")
    assert found.draw("salt|alice") != found.draw("salt|bob")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"ceil(threads / 32)"',
            '"ceil(thread / 32)"',
            "questions.toml:1: warps: .*'thread'.*known are threads",
        ),
        ('"ceil(threads / 32)"', '"threads / (threads - 64)"', "has no value"),
        ("{threads}", "{warps}", "the text uses {warps}"),
        ('"Round up."', '"It is 3."', "questions.toml:7: .*which is a right answer"),
        ("choose", 'gpu = ["h2000"]\nchoose', "there is no GPU model 'h2000'"),
        ("[64, 96]", "[64, [96]]", r"choose\.threads\[2\]: \[96\] is no number, word or table of these"),
        ("points = 4", "point = 4", "unknown key 'point'"),
        ("points = 4", 'points = 4\nwhere = { a = { call = "residence", of = {} } }', "calls 'residence'"),
        (
            "points = 4",
            'points = 4\nwhere = { a = { call = "phases", of = { inner = "4" } } }',
            "phases: .*tile",
        ),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InstructorError, match=message):
        load(tmp_path, QUESTION.replace(old, new))


def test_a_near_miss_that_is_always_right_is_an_error(tmp_path: Path) -> None:
    miss = '[[question.near_miss]]\nname = "x"\nanswer = "threads / 32"\nshare = 0.5\nfeedback = "No."\n'
    with pytest.raises(InstructorError, match="'x' is the right answer for all values"):
        load(tmp_path, QUESTION + miss)


def test_two_questions_of_one_name_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InstructorError, match=":9: two questions have the name 'warps'"):
        load(tmp_path, QUESTION + QUESTION)


def test_words_are_drawn_as_numbers_are(tmp_path: Path) -> None:
    text = QUESTION.replace("[64, 96]", '["narrow", "wide"]').replace("ceil(threads / 32)", "4")
    drawn = {each.text for each in load(tmp_path, text).combinations(0)}
    assert drawn == {"Warps of narrow threads?", "Warps of wide threads?"}


@pytest.mark.parametrize(
    ("answer", "position"), [("a ticket", 1), ("blockIdx", 0), ("1", 1), ("threads // 64", 1)]
)
def test_an_answer_of_choice_may_be_one_of_the_words(tmp_path: Path, answer: str, position: int) -> None:
    of_choice = f'"{answer}"\noptions = ["blockIdx", "a ticket"]'
    found = load(tmp_path, QUESTION.replace('"ceil(threads / 32)"', of_choice))
    assert found.draw("salt|alice")[0].answer == position
