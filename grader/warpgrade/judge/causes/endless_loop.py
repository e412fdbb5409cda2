"""Advice on a kernel that never ends: the loop around the place whose condition nothing in it changes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...records import Finding
from .source_text import assigned, block_end

_KIND = "step-limit"
_FOR = re.compile(r"\bfor\s*+\([^;(){}]{0,160};([^;(){}]{1,160});([^;{}()]{0,160})\)\s*+(\{?)")
_WHILE = re.compile(r"\bwhile\s*+\(([^;(){}]{1,160})()\)\s*+(\{?)")
_NAME = re.compile(r"[^\W\d]\w*+")
_READS_MEMORY = re.compile(r"[\[*]|->|\.")  # what another thread may change
_MOST, _LONGEST = 100, 20000  # loops that are looked at, and characters of one


@dataclass(frozen=True)
class _ConditionalLoop:
    line: int
    condition: str
    turn: str  # all that runs in each turn


def advised(finding: Finding, text: str) -> Finding:
    """The finding with the loop's line; unchanged where each loop changes what its condition compares.

    `text`: the file without comments.
    """
    if finding.kind != _KIND or finding.cause:
        return finding
    for loop in _around(text, finding.place.line):
        names = _NAME.findall(loop.condition)
        if names and not any(_is_changed(name, loop.turn) for name in names):
            words = (
                f"Nothing in the loop of line {loop.line} changes what its condition compares, "
                f"{' '.join(loop.condition.split())}: it ends at once or never. Let its variable move "
                "towards the bound in each turn."
            )
            return replace(finding, help=words)
    return finding


def _around(text: str, line: int) -> Iterator[_ConditionalLoop]:
    """The loops that the line stands in, the outermost first. Conditions that read memory are left out."""
    heads = itertools.islice(_FOR.finditer(text), _MOST), itertools.islice(_WHILE.finditer(text), _MOST)
    for head in sorted(itertools.chain(*heads), key=re.Match.start):
        begin = text.count("\n", 0, head.start()) + 1
        end = block_end(text, head.end(), _LONGEST) if head[3] else _end_of_statement(text, head.end())
        if begin <= line <= begin + text.count("\n", head.start(), end) and not _READS_MEMORY.search(head[1]):
            yield _ConditionalLoop(begin, head[1], f"{head[2]};{text[head.end() : end]}")


def _end_of_statement(text: str, begin: int) -> int:
    """The end of the statement that is a loop's body, which may be a loop with braces of its own."""
    end, depth = min(len(text), begin + _LONGEST), 0
    for at in range(begin, end):
        depth += (text[at] == "(") - (text[at] == ")")
        if text[at] == "{":
            return block_end(text, at + 1, _LONGEST)
        if text[at] == ";" and depth == 0:
            return at
    return end


def _is_changed(name: str, turn: str) -> bool:
    """Whether a statement assigns to the variable, counts it up or down, or gives it away to be changed."""
    given = rf"&\s*+{name}\b|[(,]\s*+{name}\s*+[,)]"
    return re.search(f"{assigned(name)}|{given}", turn) is not None
