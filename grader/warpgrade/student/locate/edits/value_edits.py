"""Edits of operators, numbers and indices."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from ..reading.names import INTEGER, Variable
from ..reading.operands import Operation, operations
from ..reading.source import KernelSource
from ..reading.statements import Region
from .edit import Edit, Kind, Replacement, of_tokens

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_STRICT = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_OTHERS = {
    "+": "-*", "-": "+", "*": "+/", "/": "*", "%": "/", "<<": (">>",), ">>": ("<<",), "&&": ("||",),
    "||": ("&&",), "&": ("|",), "|": "&", "^": "&+",
}  # fmt: skip
_TERMS = ("+", "-", "*", "/", "&&", "||")
_MOST_PAIRED, _NEAR = 12, 2  # subscripts that are exchanged together; lines between them
_WHOLE = re.compile(r"\d{1,9}[uUlL]{0,3}")


def operators(source: KernelSource, regions: Sequence[Region], known: Sequence[Variable]) -> Iterator[Edit]:
    floating = {each.name for each in known if each.kind != INTEGER}
    for each in _all(source, regions):
        word = source.word(each.operator)
        if word == "/" and not any(
            source.word(at) in floating or "." in source.word(at) for at in range(each.first, each.last + 1)
        ):
            yield _with(Kind.OPERATOR, source, each, "%")
        if word in _COMPARISONS:
            for other in _COMPARISONS:
                if other != word:
                    yield _with(Kind.COMPARISON, source, each, other)
        for other in _OTHERS.get(word, ()):
            yield _with(Kind.OPERATOR, source, each, other)


def strictness(source: KernelSource, regions: Sequence[Region]) -> Iterator[Edit]:
    """`x >= n || y >= m` for `x > n || y > m`: all comparisons of a condition with and without the equal."""
    for region in regions:
        found = [each for each in operations(source, region) if source.word(each.operator) in _STRICT]
        edits = [_with(Kind.COMPARISON, source, each, _STRICT[source.word(each.operator)]) for each in found]
        if len(edits) > 1:
            subject = source.between(region.first, region.last)
            made = tuple(part for edit in edits for part in edit.replacements)
            yield Edit(Kind.COMPARISON, source.line(region.first), subject, made)


def _with(kind: Kind, source: KernelSource, each: Operation, operator: str) -> Edit:
    left = source.between(each.first, each.operator - 1)
    right = source.between(each.operator + 1, each.last)
    return of_tokens(kind, source, each.first, each.last, f"({left}) {operator} ({right})")


def numbers(source: KernelSource, regions: Sequence[Region]) -> Iterator[Edit]:
    """Whole numbers one up and down, twice and half; 0 for 1 and 1 for 0 among the others."""
    for region in regions:
        for at in range(region.first, region.last + 1):
            token = source.tokens[at]
            if token.kind != "number":
                continue
            if _WHOLE.fullmatch(token.text):
                value = int(token.text.rstrip("uUlL"))
                nearby = (value - 1, value + 1, 2 * value, value // 2, -value)
                for other in dict.fromkeys(n for n in nearby if n != value and (n >= 0 or value == 1)):
                    yield of_tokens(Kind.NUMBER, source, at, at, str(other))
            elif token.text[-1:] not in ("e", "E"):
                for text in ("0.0f", "1.0f"):
                    yield of_tokens(Kind.NUMBER, source, at, at, text)


def neighbours(source: KernelSource, regions: Sequence[Region]) -> Iterator[Edit]:
    """Indices and the sides of comparisons, one more or less."""
    for region in regions:
        for at in range(region.first, region.last):
            if source.word(at) == "[" and source.partner.get(at, at) - at > 1:
                first, last = at + 1, source.partner[at] - 1
                for change in ("+ 1", "- 1"):
                    yield of_tokens(
                        Kind.NEIGHBOUR, source, first, last, f"({source.between(first, last)}) {change}"
                    )
    for each in _all(source, regions):
        if source.word(each.operator) in _COMPARISONS:
            right = source.between(each.operator + 1, each.last)
            for change in ("+ 1", "- 1", "* 2", "/ 2"):
                yield of_tokens(Kind.NEIGHBOUR, source, each.operator + 1, each.last, f"({right}) {change}")


def small_terms(source: KernelSource, regions: Sequence[Region]) -> Iterator[Edit]:
    """Without a number that is added or taken away: `row` for `row + 1`."""
    for each in _all(source, regions):
        at = each.operator
        if source.word(at) in "+-" and at + 1 == each.last and source.tokens[each.last].kind == "number":
            text = f"({source.between(each.first, at - 1)})"
            yield of_tokens(Kind.DROPPED, source, each.first, each.last, text, source.between(at, each.last))


def offsets(source: KernelSource, regions: Sequence[Region], known: Sequence[Variable]) -> Iterator[Edit]:
    """The computed value of an integer, one more or less: `int row = top + e / 18 - 1` for `top + e / 18`."""
    integers = {each.name for each in known if each.kind == INTEGER}
    for region in regions:
        first, last = region.first, region.last
        if first < last and source.word(first - 1) == "=" and source.word(first - 2) in integers:
            for change in ("- 1", "+ 1"):
                text = f"({source.between(first, last)}) {change}"
                yield of_tokens(Kind.NEIGHBOUR, source, first, last, text)


def dropped(source: KernelSource, regions: Sequence[Region]) -> Iterator[Edit]:
    """One of two operands alone."""
    for each in _all(source, regions):
        if source.word(each.operator) in _TERMS:
            for first, last, left_out in (
                (each.first, each.operator - 1, (each.operator, each.last)),
                (each.operator + 1, each.last, (each.first, each.operator)),
            ):
                yield of_tokens(
                    Kind.DROPPED, source, each.first, each.last, f"({source.between(first, last)})",
                    source.between(*left_out),
                )  # fmt: skip


def subscripts(source: KernelSource, regions: Sequence[Region]) -> Iterator[Edit]:
    """name[a][b] with its subscripts exchanged; also two of them together, as of two tiles."""
    found = [each for region in regions for each in _subscripted(source, region)]
    for one in found:
        yield of_tokens(Kind.SUBSCRIPTS, source, *one)
    for one, other in itertools.combinations(found[:_MOST_PAIRED], 2):
        places = (Replacement(source.span(first, last), text) for first, last, text in (one, other))
        subject = f"{source.between(*one[:2])} and {source.between(*other[:2])}"
        if source.line(other[0]) - source.line(one[0]) <= _NEAR:
            yield Edit(Kind.SUBSCRIPTS, source.line(one[0]), subject, tuple(places))


def _subscripted(source: KernelSource, region: Region) -> Iterator[tuple[int, int, str]]:
    """Each name[a][b]: its first and last token, and name[b][a]."""
    for at in range(region.first + 1, region.last):
        close = source.partner.get(at, at)
        second = close + 1
        if source.word(at) == "[" and source.word(second) == "[" and source.word(at - 1) not in ("]", ")"):
            end = source.partner.get(second, second)
            text = f"{source.word(at - 1)}{source.between(second, end)}{source.between(at, close)}"
            yield at - 1, end, text


def _all(source: KernelSource, regions: Sequence[Region]) -> Iterator[Operation]:
    return (each for region in regions for each in operations(source, region))
