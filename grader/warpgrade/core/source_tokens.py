"""CUDA source as tokens. The text may be hostile: it is read in one pass in which each step consumes a token,
and no pattern looks far ahead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = re.compile(r"[A-Za-z_]\w{0,999}")
_NUMBER = re.compile(r"\.?[0-9][\w.]{0,99}")
_SIGN = re.compile(r"<<=|>>=|->|\+\+|--|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||::|\S")
MOST_TOKENS = 200_000  # of a file


@dataclass(frozen=True)
class Token:
    kind: str  # "word", "number", "text", "sign", "line" (of the preprocessor) or "comment"
    text: str
    line: int  # from 1
    at: int = 0  # where it begins in the source


def tokens(source: str) -> Iterator[Token]:
    """All tokens but spaces, at most MOST_TOKENS."""
    at, line, begins = 0, 1, True
    for _ in range(MOST_TOKENS):
        while at < len(source) and source[at].isspace():
            begins = begins or source[at] == "\n"
            line += source[at] == "\n"
            at += 1
        if at >= len(source):
            return
        kind, end = _token(source, at, begins)
        text = source[at:end]
        yield Token(kind, text, line, at)
        line += text.count("\n")
        at, begins = end, False


def _token(source: str, at: int, begins: bool) -> tuple[str, int]:
    """Kind and end of the token at that place."""
    if source.startswith("//", at):
        return "comment", _end(source, "\n", at, 0)
    if source.startswith("/*", at):
        return "comment", _end(source, "*/", at + 2, 2)
    if source[at] == "#" and begins:
        return "line", _end_of_directive(source, at)
    if source[at] in "\"'":
        line = _end(source, "\n", at, 0)
        found = source.find(source[at], at + 1, line)
        return "text", found + 1 if found >= 0 else line
    for kind, pattern in (("word", _WORD), ("number", _NUMBER)):
        match = pattern.match(source, at)
        if match:
            return kind, match.end()
    match = _SIGN.match(source, at)
    return "sign", match.end() if match else at + 1


def _end(source: str, what: str, at: int, more: int) -> int:
    found = source.find(what, at)
    return len(source) if found < 0 else found + more


def _end_of_directive(source: str, at: int) -> int:
    """The end of its last line: a backslash joins lines."""
    while True:
        end = _end(source, "\n", at, 0)
        if end >= len(source) or not source[at:end].rstrip().endswith("\\"):
            return end
        at = end + 1
