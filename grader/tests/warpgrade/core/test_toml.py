"""The line of a key in a TOML file."""

from __future__ import annotations

import tomllib

import pytest

from warpgrade.core.toml import line_of, parsed

TEXT = """\
title = "x"

[points]
build = 10
[[case]]
name = "a"
points = 3
[[case]] # second
name = "b"
points = 4
"odd key" = 1
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (["title"], 1),
        (["points", "build"], 4),
        (["case", 0, "points"], 7),
        (["case", 1, "name"], 9),
        (["case", 1, "odd key"], 11),
        (["case", 1, "missing"], 8),
        (["case", 1], 8),
        (["nothing"], None),
    ],
)
def test_line_of(path: list[str | int], line: int | None) -> None:
    assert line_of(TEXT, path) == line


def test_a_mark_at_the_beginning_is_no_text() -> None:
    assert parsed(b"\xef\xbb\xbfa = 1\r\n") == ("a = 1\r\n", {"a": 1})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a = 1".encode("utf-16"), "not UTF-8"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "too many"),
        (b"a = " + b"9" * 6000, "too long"),
        (b"a = ", "line 1|end of document"),
    ],
    ids=["utf-16", "nested", "digits", "cut-off"],
)
def test_whatever_is_wrong_is_said(content: bytes, words: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match=words):
        parsed(content)
