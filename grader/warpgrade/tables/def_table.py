"""Read the emulator's tables of X-macros, `NAME(first, "second", …)`: grader/emulator/**/*.def."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_TOKEN = re.compile(r'\s*(?:"(?P<string>(?:[^"\\]|\\.)*)"|(?P<word>\w+)|(?P<mark>[,)]))')


def rows(file: Path, macro: str) -> list[tuple[str, ...]]:
    """The arguments of each use of `macro` at the beginning of a line; adjacent strings are joined."""
    text = file.read_text(encoding="utf-8")
    uses = re.finditer(rf"^{macro}\(", text, re.MULTILINE)
    return [tuple(_arguments(text, use.end())) for use in uses]


def _arguments(text: str, at: int) -> Iterator[str]:
    """The arguments from `at` to the closing parenthesis."""
    argument = ""
    while token := _TOKEN.match(text, at):
        at = token.end()
        if token["mark"]:
            yield argument
            argument = ""
            if token["mark"] == ")":
                return
        else:
            argument += token["string"] if token["word"] is None else token["word"]
