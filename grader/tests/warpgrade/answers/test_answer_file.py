"""A file of answers: what is wrong is named with its line, and a hostile file takes no time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.answers import answer_file, questions
from warpgrade.answers.marking import AnswerMark, mark
from warpgrade.answers.questions import DrawnQuestion
from warpgrade.core.errors import SubmissionError
from warpgrade.core.paths import here


def parse(content: bytes) -> dict[str, object]:
    return answer_file.parse(content, Path("answers.toml")).answers


def test_the_skeleton_is_read_and_has_no_answer_yet() -> None:
    found = questions.load(here().solution("08-occupancy") / questions.FILE, here()).draw("salt|alice")
    answers = parse(answer_file.sheet("08-occupancy", "alice", found).encode())
    assert list(answers) == [question.name for question in found]
    assert {each.mark for each in mark(found, answers).answers} == {AnswerMark.MISSING}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x" * 10_000_000, "larger than 64 KiB"),
        (b"[answers]\na = " + b"9" * 10_000, "answers.toml:2: the line has more than 1,000 characters"),
        (b"[answers]\na = " + b"\n[" * 30_000, "tables within tables|Invalid|too many"),
        (b"[answers]\na = \n", "answers.toml:2: "),
        (b"[answers]\na = 1\na = 2\n", "answers.toml:3: "),
        (b"\xff\xfe", "is not UTF-8"),
        (b"answers = 3\n", r"answers.toml:1: has no table \[answers\]"),
        (b"", r"has no table \[answers\]"),
    ],
    ids=["large", "long-line", "deep", "syntax", "twice", "no-text", "no-table", "empty"],
)
def test_a_broken_or_hostile_file_gets_a_message(content: bytes, message: str) -> None:
    with pytest.raises(SubmissionError, match=message) as caught:
        parse(content)
    assert caught.value.remedy and len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("answer", "tolerance", "shown"),
    [
        (97.86585365853658, 0.01, "97.9"),
        (7.232876712328767, 0.02, "7.23"),
        (66908.16, 0.02, "66908"),
        (0.0123456, 0.01, "0.01235"),
        (-2.5, 0.0, "-2.5"),
        (88.7, 0.0, "88.7"),
        (48.0, 0.01, "48"),
        (1 / 3, 0.0, "0.333333333"),
        (0.0, 0.01, "0"),
    ],
)
def test_an_answer_has_the_digits_that_the_question_asks_for(
    answer: float, tolerance: float, shown: str
) -> None:
    (question, *_) = questions.load(here().solution("17-profile") / questions.FILE, here()).draw("any")
    asked = replace(question, tolerance=tolerance, options=())
    assert answer_file.written(asked, answer) == shown
    assert asked.accepts(float(shown), answer)


def test_code_in_a_question_is_not_wrapped() -> None:
    code = "if (t == 0) while (atomicCAS(lock, 0, 1) != 0) { old = atomicAdd(&counter, expected + 1); }"
    prose = "What becomes of one block of threads " * 6
    question = DrawnQuestion("q", f"{prose}\n{code}", 1, (), "", 0.0, 1.0, "", ())
    lines = answer_file.sheet("08-occupancy", "alice", [question]).splitlines()
    assert f"# {code}" in lines
    assert all(len(line) <= 100 for line in lines if line != f"# {code}")
