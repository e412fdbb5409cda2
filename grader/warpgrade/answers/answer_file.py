"""A student's file of answers, which is TOML: the sheet to fill in, and reading what came back.

    student = "alice"

    [answers]
    blocks-by-threads = 3

The values of the questions stand in comments only: the key is computed from the student's name, so that a
changed value changes nothing. A hostile file costs no more time than its size, which is bounded, and gets a
message as any other.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core import toml
from ..core.errors import SubmissionError
from ..core.formatting import points
from ..core.paths import IN_A_CHECKOUT
from ..course.question_file import UNANSWERED
from .questions import DrawnQuestion

_MOST_BYTES = 64 * 1024
_MOST_LINE = 1000  # tomllib takes quadratic time for one key of many parts
_MOST_NAME = 100
_WIDTH = 100
_CODE = (";", "{", "}")  # the end of a line of code
_MOST_DIGITS = 10  # behind the point
_REMEDY = (
    "write each answer as in rate = 88.7, a number without unit, comma and computation, or with quotation "
    'marks as in answer = "yes"'
)
_EXACT = 1e-9  # by which an answer may be off where the question allows nothing


@dataclass(frozen=True)
class AnswerFile:
    """`student`: the name that the sheet was made for; empty where there is none. `answers`: unchecked."""

    student: str
    answers: dict[str, Any]


def sheet(lab: str, student: str, questions: Sequence[DrawnQuestion]) -> str:
    """The file that a student fills in: each question as a comment, then its key."""
    lines = [
        f'# Lab {lab}: your own questions. Replace each "{UNANSWERED}" with its quotation marks by a number',
        "# without a unit, or by one of the words that the question names, in quotation marks; then type:",
        f"# {IN_A_CHECKOUT} check {lab}",
        f'student = "{student}"',
        "",
        "[answers]",
    ]
    for question in questions:
        lines.append("")
        for line in question.text.strip().splitlines():
            lines += _comment(line)
        if question.options:
            lines.append(f"# One of: {', '.join(question.options)}")
        about = "; ".join(filter(None, (question.unit, f"{points(question.points)} points")))
        lines.append(f'{question.name} = "{UNANSWERED}"  # {about}')
    return "\n".join(lines) + "\n"


def _comment(line: str) -> list[str]:
    """The line as a comment: prose is wrapped, code stays as it is."""
    if line.rstrip().endswith(_CODE):
        return [f"# {line.rstrip()}"]
    return textwrap.wrap(line, _WIDTH, initial_indent="# ", subsequent_indent="# ") or ["#"]


def written(question: DrawnQuestion, answer: float) -> str:
    """An answer as a student writes it: rounded to a tenth of what the question allows."""
    if question.options:
        return f'"{question.options[int(answer)]}"'
    allowed = max(question.tolerance / 10, _EXACT) * abs(answer)
    rounded = (f"{answer:.{digits}f}" for digits in range(_MOST_DIGITS))
    return next((text for text in rounded if abs(float(text) - answer) <= allowed), repr(float(answer)))


def read(file: Path) -> AnswerFile:
    """The checked content of a file of answers. SubmissionError with the line of a mistake."""
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}", file=file) from None
    return parse(content, file)


def parse(content: bytes, file: Path) -> AnswerFile:
    """Like `read`, for content that was read before."""
    text, data = tables(content, file)
    answers = data.get("answers")
    if not isinstance(answers, dict):
        line_number = toml.line_of(text, ("answers",))
        raise SubmissionError(
            "has no table [answers]",
            file=file,
            line=line_number,
            remedy="begin the answers with the line [answers]",
        )
    return AnswerFile(_student(data.get("student", ""), text, file), answers)


def tables(content: bytes, file: Path, remedy: str = _REMEDY) -> tuple[str, dict[str, Any]]:
    """Text and tables of a student's TOML file. Takes linear time, and refuses what is too large.

    `remedy`: of what is no TOML.
    """
    if len(content) > _MOST_BYTES:
        smaller = "hand in the file that you were given, with one value for each question"
        raise SubmissionError(f"is larger than {_MOST_BYTES // 1024} KiB", file=file, remedy=smaller)
    for number, line in enumerate(content.splitlines(), 1):
        if len(line) > _MOST_LINE:
            message = f"the line has more than {_MOST_LINE:,} characters"
            raise SubmissionError(
                message, file=file, line=number, remedy="write one short value for each question"
            )
    try:
        return toml.parsed(content)
    except toml.TomlMistake as error:
        raise SubmissionError(error.message, file=file, line=error.line, remedy=remedy) from None


def _student(given: Any, text: str, file: Path) -> str:
    if not isinstance(given, str) or len(given) > _MOST_NAME:
        line = toml.line_of(text, ("student",))
        remedy = 'write it with quotation marks, as in student = "alice"'
        raise SubmissionError("the name of the student is no short text", file=file, line=line, remedy=remedy)
    return "" if given.strip() == UNANSWERED else given.strip()
