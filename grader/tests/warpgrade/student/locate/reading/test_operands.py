"""Operators and their operands."""

from __future__ import annotations

import pytest

from warpgrade.student.locate.reading import operands, source
from warpgrade.student.locate.reading.statements import Region


def found(expression: str) -> list[str]:
    read = source.read(expression)
    region = Region(0, len(read.tokens) - 1)
    return [
        f"{read.between(each.first, each.operator - 1)} | {read.word(each.operator)} | "
        f"{read.between(each.operator + 1, each.last)}"
        for each in operands.operations(read, region)
    ]


@pytest.mark.parametrize(
    ("expression", "operations"),
    [
        ("a + b * c", ["a | + | b * c", "b | * | c"]),
        ("a - b - c", ["a | - | b", "a - b | - | c"]),
        ("x[a + 1] < f(b, c * d)", ["a | + | 1", "x[a + 1] | < | f(b, c * d)", "c | * | d"]),
        ("s += a[i] * b[j]", ["a[i] | * | b[j]"]),
        ("i < n && -j < m", ["i | < | n", "i < n | && | -j < m", "-j | < | m"]),
        ("(float)*p / (a + b)", ["(float)*p | / | (a + b)", "a | + | b"]),
        ("1e-5f * x", ["1e-5f | * | x"]),
        ("c ? a + b : d", ["a | + | b"]),
        ("(a + b) * c % d", ["a | + | b", "(a + b) | * | c", "(a + b) * c | % | d"]),
        ("static_cast<float>(x)", []),
    ],
)
def test_operands(expression: str, operations: list[str]) -> None:
    assert found(expression) == operations


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("x = a < b && c[d] ? e : f", "a < b && c[d]"),
        ("g(a, b < c ? d : e)", "b < c"),
        ("(a) ? b : c", "(a)"),
    ],
)
def test_the_condition_before_a_question_mark(expression: str, wanted: str) -> None:
    read = source.read(expression)
    at = next(number for number in range(len(read.tokens)) if read.word(number) == "?")
    assert read.between(operands.start_of(read, at, 0), at - 1) == wanted
