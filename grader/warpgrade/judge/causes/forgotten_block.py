"""A kernel whose blocks all compute the same, as it never looks at blockIdx."""

from __future__ import annotations

import re

from . import tickets
from .source_text import block_end, functions

CAUSE = "block-forgotten"
_LONGEST = 4000  # characters of a function


def advice(text: str, kernel: str) -> str:
    """Advice where nothing that the kernel computes depends on its block; else "". `kernel`: its name, or ""
    for the only one.
    """
    parts = text.split("__global__")[1:]
    named = [part for part in parts if re.search(rf"\b{re.escape(kernel)}\s*+\(", part)] if kernel else parts
    if len(named) != 1 or _tells_apart(named[0]) or re.search(r"#\s*+define\b[^\n]{0,200}\bblockIdx", text):
        return ""
    for function in functions(text):
        body = text[function.end() : block_end(text, function.end(), _LONGEST)]
        if _tells_apart(body) and re.search(rf"\b{re.escape(function[1])}\s*+\(", named[0]):
            return ""
    return (
        "Nothing in the kernel depends on blockIdx, so that all blocks compute the same elements, those of "
        "the first one: a thread's index is blockIdx.x * blockDim.x + threadIdx.x, and the same along y."
    )


def _tells_apart(text: str) -> bool:
    """Whether a block has a number of its own here: blockIdx, or one that it draws by an atomic."""
    return "blockIdx" in text or tickets.DRAWN.search(text) is not None
