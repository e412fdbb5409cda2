"""Advice on a shared array that a loop fills, where threads return before they come to that loop."""

from __future__ import annotations

import itertools
import re

from ....records import Finding
from ..source_text import block_end

CAUSE = "returned-early"
_RETURN = re.compile(r"\breturn\s*+;")
_LOOP = re.compile(r"\b(?:for|while)\s*+\([^{}]{1,200}?\)\s*+(\{)?")
_STORE = r"(?<![\w.]){}(?:\s*+\[[^\[\];]{{1,80}}+\]){{1,3}}+\s*+=(?!=)"
_MOST, _LONGEST = 50, 4000  # loops that are looked at; characters of a loop or a function


def advice(finding: Finding, text: str) -> str:
    """Advice; "" where this is not the mistake. `text`: the file without comments, with all its lines."""
    name = finding.memory.array if finding.memory else ""
    store = re.search(_STORE.format(re.escape(name)), text) if name else None
    if store is None:
        return ""
    begin = max(text.rfind("\n}", 0, store.start()), store.start() - _LONGEST, 0)
    left = list(itertools.islice(_RETURN.finditer(text, begin, store.start()), _MOST))
    if not left or not _is_in_loop(text, begin, store.start()):
        return ""
    line = text.count("\n", 0, left[-1].start()) + 1
    return (
        f"Threads that return in line {line} store nothing in {name}, and the loop counts on all of them: "
        "let every thread load and wait, and guard only the store of its own result."
    )


def _is_in_loop(text: str, begin: int, store: int) -> bool:
    """Whether the store stands in a loop in which a thread brings several elements: it holds no barrier."""
    for head in itertools.islice(_LOOP.finditer(text, begin, store), _MOST):
        end = block_end(text, head.end(), _LONGEST) if head[1] else text.find(";", head.end())
        if end > store and "__syncthreads" not in text[head.end() : end]:
            return True
    return False
