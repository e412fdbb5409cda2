"""Questions of a handout. Answers are computed, and numbers can differ from student to student.

    {% question "loads-of-an-element", size=(1024, 512), tile=(16, 32) %}
    How often is an element of A loaded, for matrices of {{ q.size }} and tiles of {{ q.tile }}?
    {% answer %}
    {{ q.size // q.tile }} times.
    {% endquestion %}

Without a seed every choice is its first value. With a seed a hash of the seed, the page, the question and the
choice's name selects the value, so the same seed always gives the same sheet.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser

from . import topics


@dataclass(frozen=True)
class Question:
    """A question with the number it has on its page. `text` and `answer` are Markdown."""

    name: str
    number: int
    text: str
    answer: str


@dataclass
class QuestionSheet:
    """Collects the questions of one page while the page is rendered."""

    page: str
    seed: str = ""  # empty: the first value of each choice
    answers: bool = False  # whether the page shows the answers
    answer_word: str = "Answer"
    asked: list[Question] = field(default_factory=list)

    def chosen(self, name: str, choices: dict[str, Sequence[Any]]) -> dict[str, Any]:
        return {key: self.pick(f"{name}|{key}", values) for key, values in choices.items()}

    def pick(self, key: str, values: Sequence[Any]) -> Any:
        """One of the values: the first, or the one that the seed selects."""
        if not values:
            raise ValueError(f"the choice {key!r} of a question is empty")
        if not self.seed:
            return values[0]
        digest = hashlib.sha256(f"{self.seed}|{self.page}|{key}".encode()).digest()
        return values[int.from_bytes(digest[:8], "big") % len(values)]

    def ask(self, name: str, text: str, answer: str) -> str:
        """Add the question to the sheet and return its Markdown for the page."""
        if any(question.name == name for question in self.asked):
            raise ValueError(f"two questions are named {name!r}")
        text, tags = topics.split_tags(text)
        question = Question(name, len(self.asked) + 1, text.strip(), answer.strip())
        self.asked.append(question)
        return tags + self.to_markdown(question, self.answers)

    def to_markdown(self, question: Question, with_answer: bool) -> str:
        begin = f'<div class="question" id="question-{question.name}">\n\n'
        text = f"{begin}**{question.number}.** {question.text}\n\n"
        if with_answer:
            text += f'<div class="answer">\n\n**{self.answer_word}.** {question.answer}\n\n</div>\n\n'
        return text + "</div>\n\n"


class Questions(Extension):
    """Jinja's tags question, answer and endquestion. The environment needs a QuestionSheet named `sheet`."""

    tags = {"question"}  # noqa: RUF012 (Jinja's interface)

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        name = parser.parse_expression()
        choices: list[nodes.Node] = []
        while parser.stream.skip_if("comma"):
            key = parser.stream.expect("name").value
            parser.stream.expect("assign")
            choices.append(nodes.Pair(nodes.Const(key), parser.parse_expression(), lineno=line))
        text = parser.parse_statements(("name:answer",), drop_needle=True)
        answer = parser.parse_statements(("name:endquestion",), drop_needle=True)
        return self._calls(name, nodes.Dict(choices, lineno=line), text, answer, line)

    def _calls(
        self,
        name: nodes.Expr,
        choices: nodes.Expr,
        text: list[nodes.Node],
        answer: list[nodes.Node],
        line: int,
    ) -> nodes.Node:
        """Two call blocks with one body each: the first stores the text, the second adds the question."""
        first = nodes.CallBlock(
            self.call_method("_text", [name, choices]), [nodes.Name("q", "param")], [], text, lineno=line
        )
        second = nodes.CallBlock(
            self.call_method("_answer", [name, choices]), [nodes.Name("q", "param")], [], answer, lineno=line
        )
        return nodes.Scope([first, second], lineno=line)

    def _text(self, name: str, choices: dict[str, Sequence[Any]], caller: Callable[..., str]) -> str:
        sheet = self._sheet()
        self._waiting = caller(sheet.chosen(name, choices))
        return ""

    def _answer(self, name: str, choices: dict[str, Sequence[Any]], caller: Callable[..., str]) -> str:
        sheet = self._sheet()
        text = self._waiting
        return sheet.ask(name, text, caller(sheet.chosen(name, choices)))

    def _sheet(self) -> QuestionSheet:
        sheet = self.environment.globals["sheet"]
        assert isinstance(sheet, QuestionSheet)
        return sheet
