"""A name that the compiler does not know because the braces around its declaration have ended."""

from __future__ import annotations

import itertools
import re

from ..judge.causes.source_text import bare
from ..records import Diagnostic

_NAME = re.compile(r"[^\W\d]\w{0,60}+")
_NO_TYPES = ("return", "else", "goto", "case", "throw", "new", "delete", "typename", "struct", "class")
_MOST = 50  # declarations that are looked at


def remedy(message: Diagnostic, text: str) -> str:
    """Where the name is declared; "" where the compiler means something else. `text`: of the file."""
    if message.severity != "error" or len(message.quoted) != 1 or not message.line:
        return ""
    (name,) = message.quoted
    if not _NAME.fullmatch(name):
        return ""
    before = "\n".join(bare(text).split("\n")[: message.line - 1])
    declared = re.compile(rf"([^\W\d][\w:]{{0,60}}+)(?:\s*+[*&]|\s)\s*+{name}\s*+(?:=(?!=)|[;\[,])")
    found = [each for each in itertools.islice(declared.finditer(before), _MOST) if each[1] not in _NO_TYPES]
    if not found or not _has_ended(before, found[-1].end()):
        return ""
    line = before.count("\n", 0, found[-1].start()) + 1
    return f"It is declared in line {line}, inside braces that end before here."


def _has_ended(text: str, begin: int) -> bool:
    """Whether the block around `begin` ends in the text, within its function."""
    depth, end = 0, text.find("\n}", begin)
    for letter in text[begin : end if end >= 0 else len(text)]:
        depth += (letter == "{") - (letter == "}")
        if depth < 0:
            return end < 0
    return False
