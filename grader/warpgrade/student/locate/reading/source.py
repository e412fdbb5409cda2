"""A kernel's file as tokens with their brackets, and the bodies of its functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ....core.source_tokens import Token, tokens

_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_BETWEEN = ("const", "noexcept")  # words between a function's parameters and its body


@dataclass(frozen=True)
class Span:
    """A part of the text, in characters."""

    start: int
    end: int


@dataclass(frozen=True)
class KernelSource:
    """`partner`: of each bracket, by its number among the tokens. `bodies`: the braces around each function.
    `lambdas`: the tokens of functions without a name, which see only what they capture.

    Comments and lines of the preprocessor are no tokens.
    """

    text: str
    tokens: tuple[Token, ...]
    partner: Mapping[int, int]
    bodies: tuple[tuple[int, int], ...]
    lambdas: frozenset[int]

    def word(self, number: int) -> str:
        """The text of a token; empty outside the file."""
        return self.tokens[number].text if 0 <= number < len(self.tokens) else ""

    def span(self, first: int, last: int) -> Span:
        """From the beginning of one token to the end of another."""
        return Span(self.tokens[first].at, self.end(last))

    def end(self, number: int) -> int:
        return self.tokens[number].at + len(self.tokens[number].text)

    def between(self, first: int, last: int) -> str:
        """The text from one token to another, both included."""
        span = self.span(first, last)
        return self.text[span.start : span.end]

    def line(self, number: int) -> int:
        return self.tokens[number].line


def read(text: str) -> KernelSource:
    found = tuple(token for token in tokens(text) if token.kind not in ("comment", "line"))
    partner = _partners(found)
    return KernelSource(text, found, partner, tuple(_bodies(found, partner)), _lambdas(found, partner))


def _partners(found: tuple[Token, ...]) -> dict[int, int]:
    """Each bracket's partner; brackets without one are left out."""
    partner: dict[int, int] = {}
    waiting: list[int] = []
    for number, token in enumerate(found):
        if token.kind != "sign":
            continue
        if token.text in _CLOSED_BY:
            waiting.append(number)
        elif waiting and token.text == _CLOSED_BY[found[waiting[-1]].text]:
            other = waiting.pop()
            partner[other], partner[number] = number, other
    return partner


def _bodies(found: tuple[Token, ...], partner: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    number = 0
    while number < len(found):
        before = number - 1
        while before >= 0 and found[before].text in _BETWEEN:
            before -= 1
        if found[number].text == "{" and before >= 0 and found[before].text == ")" and number in partner:
            yield number, partner[number]
            number = partner[number]
        number += 1


def _lambdas(found: tuple[Token, ...], partner: Mapping[int, int]) -> frozenset[int]:
    """`[…](…) {…}`, where no array stands before the first bracket."""
    tokens: set[int] = set()
    for number, token in enumerate(found):
        before = found[number - 1] if number else None
        if token.text != "[" or (before and (before.kind == "word" or before.text in (")", "]"))):
            continue
        at = partner.get(number, -1) + 1
        while 0 < at < len(found) and found[at].text not in ("{", ";", "["):
            at = partner.get(at, at) + 1
        if 0 < at < len(found) and found[at].text == "{" and at in partner:
            tokens.update(range(number, partner[at] + 1))
    return frozenset(tokens)
