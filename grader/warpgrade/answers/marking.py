"""Marks answers: points and a sentence for each question. No sentence holds the right answer."""

from __future__ import annotations

import difflib
import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..course.question_file import UNANSWERED
from .formulas import Number
from .questions import DrawnQuestion

_MOST_BITS = 1000  # of an integer that is compared with floats
_MOST_SHOWN = 40
_MOST_UNKNOWN = 10
_PREFIXES = (1000, 1024, 10**6, 10**9)
_LARGEST = 1e100  # of a number that is multiplied by them
_WHOLE = "The answer is a whole number: round in each step that asks for it. "


class AnswerMark(enum.StrEnum):
    RIGHT = "right"
    NEAR_MISS = "near miss"
    WRONG = "wrong"
    UNREADABLE = "unreadable"
    MISSING = "missing"


@dataclass(frozen=True)
class MarkedAnswer:
    """What one answer earned, and why. `rule`: the name of the near miss, else empty."""

    question: str
    mark: AnswerMark
    earned: float
    possible: float
    sentence: str
    rule: str = ""


@dataclass(frozen=True)
class MarkedSheet:
    """The answers in the questions' order. `remarks`: on keys that are no question."""

    answers: tuple[MarkedAnswer, ...]
    remarks: tuple[str, ...]

    @property
    def earned(self) -> float:
        return round(math.fsum(each.earned for each in self.answers), 2)

    @property
    def possible(self) -> float:
        return round(math.fsum(each.possible for each in self.answers), 2)


class _UnreadableAnswer(ValueError):
    """The value has a type or size that no answer of the question can have."""


def mark(questions: Sequence[DrawnQuestion], answers: Mapping[str, Any]) -> MarkedSheet:
    """Marks every question, and names the keys that belong to none."""
    marked = tuple(_marked(question, answers.get(question.name)) for question in questions)
    return MarkedSheet(marked, _remarks([question.name for question in questions], answers))


def _marked(question: DrawnQuestion, given: Any) -> MarkedAnswer:
    def result(mark: AnswerMark, share: float, sentence: str, rule: str = "") -> MarkedAnswer:
        return MarkedAnswer(question.name, mark, question.points * share, question.points, sentence, rule)

    if given is None or given == UNANSWERED:
        return result(AnswerMark.MISSING, 0, "There is no answer yet.")
    try:
        answer = _position(question, given) if question.options else _number(given)
    except _UnreadableAnswer as error:
        return result(AnswerMark.UNREADABLE, 0, str(error))
    if question.accepts(answer, question.answer):
        return result(AnswerMark.RIGHT, 1, "Right.")
    for miss in sorted(question.near_misses, key=lambda each: -each.share):
        if question.accepts(answer, miss.answer):
            return result(AnswerMark.NEAR_MISS, miss.share, miss.feedback, miss.name)
    if factor := _factor(question, answer):
        words = f"Right but for a factor of {factor:,}: the answer is in {question.unit}."
        return result(AnswerMark.WRONG, 0, words)
    return result(AnswerMark.WRONG, 0, _WHOLE * _is_fraction(question, answer) + question.feedback)


def _is_fraction(question: DrawnQuestion, given: Number) -> bool:
    """Whether it is a fraction where the key is a whole number, to be given exactly."""
    is_whole = float(question.answer).is_integer() and not question.tolerance and not question.options
    return is_whole and not float(given).is_integer()


def _factor(question: DrawnQuestion, given: Number) -> int:
    """The factor by which a right answer in another unit is off: 100 for a share given as percent; else 0."""
    if question.options or not question.unit or abs(given) > _LARGEST:
        return 0
    scales = (100,) if question.unit == "%" else _PREFIXES
    return next(
        (by for by in scales for each in (given * by, given / by) if question.accepts(each, question.answer)),
        0,
    )


def _number(given: Any) -> Number:
    if isinstance(given, str):
        how = "write it without quotation marks and unit, with a point and no comma, as in 88.7"
        raise _UnreadableAnswer(f"The answer is a number: {how}.")
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _UnreadableAnswer(f"The answer is a number, not {_type_name(given)}.")
    if isinstance(given, int) and given.bit_length() > _MOST_BITS:
        raise _UnreadableAnswer("The number is too large for any answer.")
    if not math.isfinite(given):
        raise _UnreadableAnswer("The answer is a finite number: neither nan nor inf, and not above 1e308.")
    return given


def _position(question: DrawnQuestion, given: Any) -> int:
    known = ", ".join(f'"{option}"' for option in question.options)
    if not isinstance(given, str):
        raise _UnreadableAnswer(f"The answer is one of {known}, in quotation marks.")
    folded = [option.casefold() for option in question.options]
    if given.strip().casefold() not in folded:
        raise _UnreadableAnswer(f"{_short(given)!r} is no answer to this question: it is one of {known}.")
    return folded.index(given.strip().casefold())


def _type_name(given: Any) -> str:
    names = {bool: "true or false", list: "a list", dict: "a table"}
    return names.get(type(given), "a date or time")


def _remarks(names: Sequence[str], answers: Mapping[str, Any]) -> tuple[str, ...]:
    unknown = [key for key in answers if key not in names]
    remarks = []
    for key in unknown[:_MOST_UNKNOWN]:
        near = difflib.get_close_matches(_short(key), names, 1)
        remarks.append(f"There is no question {_short(key)!r}" + (f"; is it {near[0]!r}?" if near else "."))
    if len(unknown) > _MOST_UNKNOWN:
        remarks.append(f"{len(unknown) - _MOST_UNKNOWN:,} more keys are no question.")
    return tuple(remarks)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
