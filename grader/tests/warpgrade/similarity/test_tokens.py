"""Tokens: what a copyist may change goes, and hostile text takes linear time."""

from __future__ import annotations

import time

import pytest

from warpgrade.similarity import tokens

KERNEL = """\
#define SUM(a, b) (a) + \\
    (b)
#define N 16
int total = SUM(x, N) * 2;  // a comment
/* more
 */ total += y;
"""


def words(source: str) -> list[str]:
    return [word for word, _ in tokens.normalised(source)]


def test_macros_names_and_types_do_not_matter() -> None:
    assert words(KERNEL) == words("float t = a + 7 * 3; t = t + z;")
    assert [line for _, line in tokens.normalised(KERNEL)][-1] == 6


def test_operators_in_short_and_in_long() -> None:
    assert words("a > b") == words("a < b")
    assert sorted(words("++i")) == sorted(words("j += 1;")) == sorted(words("i = i + 1"))


def test_a_text_is_one_token() -> None:
    assert [token.kind for token in tokens.tokens("\"a // b\" 'x' 1.5e3f <<= y")] == [
        "text", "text", "number", "sign", "word",
    ]  # fmt: skip


HOSTILE = {
    "open comments": "/*/" * 100_000,
    "open texts": '"' * 300_000,
    "long words": "a" * 300_000,
    "long numbers": "1" * 300_000,
    "macros in macros": "#define A B B B B\n#define B C C C C\n#define C D D D D\n#define D A A A A\n"
    + "A " * 50_000,
    "long arguments": "#define F(x) x x x x x x x\n" + "F(" * 50_000 + "1",
    "wide bodies": "#define F(x) " + "x " * 2_000 + "\nF(" + "1 " * 390 + ")",
    "directives": "#define A \\\n" * 50_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_bounded(name: str) -> None:
    begun = time.process_time()
    assert len(tokens.normalised(HOSTILE[name])) <= 3 * 200_000
    assert time.process_time() - begun < 20
