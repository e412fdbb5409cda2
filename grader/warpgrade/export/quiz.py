"""Questions for the quizzes of course systems: each has variants, of which a student gets one.

quiz_moodle.py and quiz_canvas.py write them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from ..answers.questions import DrawnQuestion, QuestionFile


@dataclass(frozen=True)
class WrongAnswer:
    """A usual slip, the share of the points that it earns, and its feedback."""

    answer: float  # the option's position where there are options
    share: float
    feedback: str


@dataclass(frozen=True)
class Variant:
    """A question with one choice of its values. `text` is HTML. Without an answer, a person marks it."""

    text: str
    answer: float | None  # the option's position where there are options
    options: tuple[str, ...] = ()
    tolerance: float = 0.0  # absolute
    feedback: str = ""  # of a wrong answer
    key: str = ""  # HTML for staff, where a person marks
    slips: tuple[WrongAnswer, ...] = ()


@dataclass(frozen=True)
class QuizQuestion:
    name: str
    points: float
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class Quiz:
    """`name` is safe as a part of an identifier."""

    name: str
    title: str
    questions: tuple[QuizQuestion, ...]


def of_questions(name: str, title: str, questions: QuestionFile, variants: int) -> Quiz:
    """The questions of a lab of answers, each with that many variants, or as many as differ."""
    found: dict[str, dict[Variant, None]] = {}
    worth: dict[str, float] = {}
    for number in range(8 * variants):  # two draws may be equal
        for drawn in questions.draw(f"quiz-{number}"):
            kept = found.setdefault(drawn.name, {})
            worth[drawn.name] = drawn.points
            if len(kept) < variants:
                kept[_variant(drawn)] = None
    return Quiz(name, title, tuple(QuizQuestion(key, worth[key], tuple(kept)) for key, kept in found.items()))


def _variant(drawn: DrawnQuestion) -> Variant:
    unit = f" <em>({escape(drawn.unit)})</em>" if drawn.unit else ""
    return Variant(
        text=f"<p>{escape(drawn.text)}{unit}</p>",
        answer=float(drawn.answer),
        options=drawn.options,
        tolerance=0.0 if drawn.options else _tolerance(drawn),
        feedback=drawn.feedback,
        slips=tuple(_slips(drawn)),
    )


def _tolerance(drawn: DrawnQuestion) -> float:
    """Absolute. An answer that is no whole number is given in a few digits, also where it should be exact."""
    relative = drawn.tolerance or (0.0 if float(drawn.answer).is_integer() else 1e-6)
    return relative * abs(float(drawn.answer))


def _slips(drawn: DrawnQuestion) -> Iterator[WrongAnswer]:
    """The near misses that differ from the answer and from one another; the first of equal ones counts."""
    seen: list[float] = []
    for miss in drawn.near_misses:
        value = float(miss.answer)
        if math.isfinite(value) and not drawn.accepts(miss.answer, drawn.answer) and value not in seen:
            seen.append(value)
            yield WrongAnswer(value, miss.share, miss.feedback)


def number(value: float) -> str:
    """12.0 → "12", 0.1 → "0.1"."""
    return str(int(value)) if value.is_integer() else repr(value)
