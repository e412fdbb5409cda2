"""A student's file of answers, which is TOML: the skeleton to fill in, and reading what came back.

    [answers]
    blocks-by-threads = 3

A hostile file costs no more time than its size, which is bounded, and gets a message as any other.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..core import toml
from ..core.errors import SubmissionError
from .questions import DrawnQuestion

FILE = "answers.toml"
UNANSWERED = "?"
_MOST_BYTES = 64 * 1024
_MOST_LINE = 1000  # tomllib takes quadratic time for one key of many parts
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")


def skeleton(questions: Sequence[DrawnQuestion]) -> str:
    """The file that a student fills in: each question as a comment, then its key."""
    lines = ["[answers]"]
    for question in questions:
        lines += ["", *(f"# {line}".rstrip() for line in question.text.strip().splitlines())]
        if question.options:
            lines.append(f"# One of: {', '.join(question.options)}")
        unit = f"  # {question.unit}" if question.unit else ""
        lines.append(f'{question.name} = "{UNANSWERED}"{unit}')
    return "\n".join(lines) + "\n"


def read(file: Path) -> dict[str, Any]:
    """The values below [answers]. SubmissionError says what is wrong, with its line and what to do."""
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}", file=file) from None
    return parse(content, file)


def parse(content: bytes, file: Path) -> dict[str, Any]:
    """As `read`, for content that was read before."""
    if len(content) > _MOST_BYTES:
        remedy = "hand in the file that you were given, with one value for each question"
        raise SubmissionError(f"is larger than {_MOST_BYTES // 1024} KiB", file=file, remedy=remedy)
    for number, line in enumerate(content.splitlines(), 1):
        if len(line) > _MOST_LINE:
            message = f"the line has more than {_MOST_LINE:,} characters"
            raise SubmissionError(
                message, file=file, line=number, remedy="write one short value for each question"
            )
    try:
        text, data = toml.parsed(content)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line_number = int(place[1]) if place and place[1] else None
        remedy = 'write each answer as in blocks = 3, or with quotation marks as in answer = "yes"'
        raise SubmissionError(
            _PLACE.sub("", str(error)), file=file, line=line_number, remedy=remedy
        ) from None
    answers = data.get("answers")
    if not isinstance(answers, dict):
        line_number = toml.line_of(text, ("answers",))
        raise SubmissionError(
            "has no table [answers]",
            file=file,
            line=line_number,
            remedy="begin the file with the line [answers]",
        )
    return answers
