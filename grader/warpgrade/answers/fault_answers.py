"""How a student names a fault: one line and one word in a TOML file.

    [barrier]
    line = 12
    verdict = "race"

A list of lines or words is refused: whoever names all of them has found none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core import toml
from ..core.errors import SubmissionError
from ..course.fault_sheet import UNANSWERED, WORDS
from . import answer_file

_MOST_LINES = 100_000
_REMEDY = 'write both as in line = 12 and verdict = "race"'


@dataclass(frozen=True)
class FaultName:
    """`line` counts from 1."""

    line: int
    verdict: str


def parse(content: str, file: str, fault: str) -> FaultName | None:
    """The name of one fault; None where it is not written yet. SubmissionError says what is wrong."""
    text, data = answer_file.tables(content.encode("utf-8", "replace"), Path(file), _REMEDY)
    table = data.get(fault)
    if not isinstance(table, dict):
        remedy = f"begin it with the line [{fault}]"
        raise SubmissionError(f"has no table [{fault}]", file=file, remedy=remedy)
    for key in sorted(set(table) - {"line", "verdict"})[:1]:
        raise _refused(
            text, file, fault, key, "is neither line nor verdict", 'line = 12 and verdict = "race"'
        )
    line, word = table.get("line", 0), table.get("verdict", UNANSWERED)
    if type(line) is not int or not 0 <= line <= _MOST_LINES:
        raise _refused(text, file, fault, "line", "is not the number of one line", "line = 12")
    if not isinstance(word, str) or word.strip().lower() not in (*WORDS, UNANSWERED):
        raise _refused(text, file, fault, "verdict", f"is not one of {', '.join(WORDS)}", 'verdict = "race"')
    found = FaultName(line, word.strip().lower())
    return None if found.line == 0 or found.verdict == UNANSWERED else found


def _refused(text: str, file: str, fault: str, key: str, what: str, example: str) -> SubmissionError:
    at: tuple[Any, ...] = (fault, key)
    return SubmissionError(
        f"{key} of [{fault}] {what}",
        file=file,
        line=toml.line_of(text, at),
        remedy=f"write it as in {example}",
    )
