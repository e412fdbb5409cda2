"""Expressions of lab.toml: values, mistakes, and hostile text, which must neither hang nor crash."""

from __future__ import annotations

import random
import time

import pytest

from warpgrade.course.expressions import ExpressionError, NoValue, parse

VALUES = {"m": 6, "n": 4, "smsp__inst_executed.sum": 100, "zero": 0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2*m*n", 48),
        ("m / n", 1.5),
        ("m // n + m % n", 3),
        ("-m + +n", -2),
        ("2**10", 1024),
        ("2**-1", 0.5),
        ("m > n", True),
        ("1 < n <= 4 < m", True),
        ("1 < n < 4 < m / zero", False),
        ("zero == 0 or 1 / zero", True),
        ("zero and 1 / zero", False),
        ("not zero", True),
        ("m if zero else n", 4),
        ("n if not zero else 1 / zero", 4),
        ("min(m, n, 9) + max(m, n)", 10),
        ("ceil(m / n) + floor(m / n)", 3),
        ("sqrt(n) + log2(n)", 4.0),
        ("smsp__inst_executed.sum / n", 25.0),
        ('ptx("atom.*") + 1', 8),
    ],
)
def test_values(text: str, value: float) -> None:
    found = parse(text).value(VALUES, {"atom.*": 7})
    assert found == value and type(found) is type(value)


def test_names_and_patterns_are_found_in_their_order() -> None:
    found = parse('a.b.c + x * max(y, x) - ptx("shfl.sync*")')
    assert found.names == ("a.b.c", "x", "y") and found.patterns == ("shfl.sync*",)


def test_a_comparison_has_two_sides() -> None:
    found = parse("m + 1 <= 2 * n").comparison
    assert found is not None
    left, sign, right = found
    assert (left.value(VALUES), sign, right.value(VALUES)) == (7, "<=", 8)
    assert parse("m + n").comparison is None and parse("1 < m < 2").comparison is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no expression"),
        ("m +", "no expression"),
        ("m; n", "no expression"),
        ("m\0n", "no expression"),
        ("x = 1", "no expression"),
        ("(" * 300 + ")" * 300, "no expression"),
        ("1" * 5000, "longer than"),
        ("1" * 900, "too large"),
        ("1e999", "too large"),
        ("-" * 100 + "m", "nests more than"),
        ("+".join("m" * 400), "nests more than"),
        ("'text'", "only numbers"),
        ("True", "only numbers"),
        ("1j", "only numbers"),
        ("m[0]", "not allowed"),
        ("m.__class__()", "calls 'm.__class__'; the functions are min, max"),
        ("(m + n).real", "not allowed"),
        ("__import__('os')", "calls '__import__'"),
        ("lambda: m", "not allowed"),
        ("[m for m in n]", "not allowed"),
        ("m << 9", "not allowed"),
        ("m @ n", "not allowed"),
        ("~m", "not allowed"),
        ("m is n", "not allowed"),
        ("m in n", "not allowed"),
        ("f'{m}'", "not allowed"),
        ("(m := n)", "not allowed"),
        ("min(m)", "2 to 16 arguments, not 1"),
        ("sqrt(m, n)", "takes 1 argument, not 2"),
        ("min(*m, n)", "plain arguments"),
        ("sqrt(m, x=n)", "plain arguments"),
        ("ptx(m)", "one pattern in quotation marks"),
        ("ptx()", "one pattern in quotation marks"),
    ],
)
def test_mistakes(text: str, words: str) -> None:
    with pytest.raises(ExpressionError, match=words.replace("(", "\\(")):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "m / zero", "m // zero", "m % zero", "zero ** -1", "(zero - 8) ** 0.5", "sqrt(-m)", "log2(zero)",
        "9 ** 9 ** 9", "9 ** 999 ** 2", "10.0 ** 400", "1e300 * 1e300", "2 ** 999 * 2 ** 999",
        "2 ** 999 / 0.1 ** 200", "floor(1e308 * 10)", "1e308 - -1e308",
    ],
)  # fmt: skip
def test_what_has_no_value(text: str) -> None:
    begun = time.monotonic()
    with pytest.raises(NoValue):
        parse(text).value(VALUES)
    assert time.monotonic() - begun < 1


def test_no_text_raises_another_error_or_takes_long() -> None:
    chance = random.Random(20261123)
    parts = [
        "m",
        "zero",
        "9",
        "1e308",
        "0.5",
        "**",
        "*",
        "/",
        "//",
        "%",
        "-",
        "(",
        ")",
        ",",
        "<",
        "if",
        "else",
    ]
    parts += [
        "and",
        "not",
        "min(",
        "sqrt(",
        'ptx("a")',
        ".",
        "[",
        "]",
        ":",
        "=",
        "'",
        "\\",
        "\n",
        "#",
        "é",
        "lambda",
    ]
    begun = time.monotonic()
    for _ in range(4000):
        text = " ".join(chance.choices(parts, k=chance.randrange(1, 14)))
        try:
            found = parse(text)
            found.value(dict.fromkeys(found.names, 3) | VALUES, dict.fromkeys(found.patterns, 3))
        except (ExpressionError, NoValue):
            continue
    assert time.monotonic() - begun < 20
