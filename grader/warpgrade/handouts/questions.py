"""Questions of a handout, with answers that are computed, and numbers that may differ by student.

    {% question "loads-of-an-element", size=(1024, 512), tile=(16, 32) %}
    How often is an element of A loaded, for matrices of {{ q.size }} and tiles of {{ q.tile }}?
    {% answer %}
    {{ q.size // q.tile }} times.
    {% endquestion %}

Without a seed the first of each choice is taken. With one, the seed, the page, the question and the
name of the choice decide, so that a student's sheet can be made again at any time.
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
    """Texts are Markdown."""

    name: str
    number: int
    text: str
    answer: str


@dataclass
class QuestionSheet:
    """The questions of one page while it is being rendered. `seed` empty: everyone's numbers."""

    page: str
    seed: str = ""
    answers: bool = False  # whether the page itself shows them
    answer_word: str = "Answer"
    asked: list[Question] = field(default_factory=list)

    def chosen(self, name: str, choices: dict[str, Sequence[Any]]) -> dict[str, Any]:
        return {key: self.pick(f"{name}|{key}", values) for key, values in choices.items()}

    def pick(self, key: str, values: Sequence[Any]) -> Any:
        """One of the values: the first without a seed."""
        if not values:
            raise ValueError(f"the choice {key!r} of a question is empty")
        if not self.seed:
            return values[0]
        digest = hashlib.sha256(f"{self.seed}|{self.page}|{key}".encode()).digest()
        return values[int.from_bytes(digest[:8], "big") % len(values)]

    def ask(self, name: str, text: str, answer: str) -> str:
        """Keep the question; its Markdown for the page."""
        if any(question.name == name for question in self.asked):
            raise ValueError(f"two questions are named {name!r}")
        text, tags = topics.apart(text)
        question = Question(name, len(self.asked) + 1, text.strip(), answer.strip())
        self.asked.append(question)
        return tags + self.shown(question, self.answers)

    def shown(self, question: Question, with_answer: bool) -> str:
        begin = f'<div class="question" id="question-{question.name}">\n\n'
        shown = f"{begin}**{question.number}.** {question.text}\n\n"
        if with_answer:
            shown += f'<div class="answer">\n\n**{self.answer_word}.** {question.answer}\n\n</div>\n\n'
        return shown + "</div>\n\n"


class Questions(Extension):
    """The tags question, answer, endquestion. The environment's global `sheet` is a QuestionSheet."""

    tags = {"question"}  # noqa: RUF012 (Jinja's own interface)

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
        """Two call blocks, as one has only one body: the first gathers the text, the second asks."""
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
