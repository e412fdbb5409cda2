"""Long and repetitive text, and whether the time that a reader of it takes grows with its length only."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from typing import Any

MOST_SECONDS = 4.0  # for 2¹⁸ characters, on a machine that is slow and busy
ENOUGH = 0.03  # seconds: shorter times are noise
SUSPICIOUS = 1 << 15  # characters: the length at which is_suspicious() looks
# Of the times for texts of which one is twice as long: 2 if linear, 4 if quadratic.
RATIO, SUSPICIOUS_RATIO = 3.2, 2.4
ATTEMPTS = 4
SIZES = tuple(1 << power for power in range(12, 19))

# Repeated, they make the patterns of the readers below go back, or go far ahead, from each position.
PIECES = (
    "a", " ", "\t", "\n", "1", "C[", "C[]", "C[i]", "]", "]+", "=C[", "C[i] +", "/*", "//", "*/", "\\",
    "\\\n", '"', "'", "#", "# ", "[", "[ ", "[a]\n", "a.", "a=1\n", "(", "(1", ",", ", ", ";", "\t ",
    "\r", "\ufeff", "error", "error : ", "ptxas ", "nvcc ", "at ", "at a", "at a(", " in ", "\u2028", "_",
    "é", "__syncthreads();\n", "//leaderboard: a ", "\n// leaderboard: ", "// ptxas: -O1 ",
    "\n          a", "\n           ", "1e", "1.", "Z5", "k.cu(3): error: a\n",
    "ptxas k.ptx, line 3; error   : a\n", "========= at a\n", "#define a\n", "/**/", "/**/ #", "u8",
    "========= Invalid __global__ read of size 4\n", "{", "\n- ", "- ", "a: ", "&a ", "*a ", "? ", "<<<",
    "::", "\u0301\u0316",
)  # fmt: skip
# What stands before the repeated piece, and after it.
FRAMES = (
    ("", ""), ("", "x"), ("// leaderboard: a", "b"), ('[answers]\na = """\n', '\n"""'), ("C[", ""),
    ("#", "\n"), ("ptxas error : ", ""), ("k.cu(3): error: ", ""),
    ("========= Invalid __global__ read of size 4 ", "x"), ("=", "x"), ("// ptxas: -O1", "x"),
    ("_ZN", ""), ("[", "]"),
)  # fmt: skip


def seconds(reader: Callable[[Any], object], data: Any) -> float:
    """Processor time without cycle collection, which walks all objects that earlier tests left alive."""
    gc.disable()
    try:
        begun = time.thread_time()
        reader(data)
        return time.thread_time() - begun
    finally:
        gc.enable()


def is_suspicious(reader: Callable[[Any], object], of_size: Callable[[int], Any], size: int) -> bool:
    """Whether why_not_linear() must look at other lengths. On a slow machine even linear readers take longer
    than ENOUGH, so a text of half the length decides."""
    whole = seconds(reader, of_size(size))
    if whole <= ENOUGH:
        return False
    return whole > SUSPICIOUS_RATIO * min(seconds(reader, of_size(size // 2)) for _ in range(2))


def why_not_linear(
    reader: Callable[[Any], object], of_size: Callable[[int], Any], sizes: Sequence[int]
) -> str:
    """What was measured if the time grows faster than the size, else ""; each size is twice the last."""
    before = 0.0
    for size in sizes:
        now = seconds(reader, of_size(size))
        if now > MOST_SECONDS:
            return f"{size:,} take {now:.1f} s"
        if before > ENOUGH and now > RATIO * before:
            for _ in range(ATTEMPTS):  # others use the machine, too
                before = max(before, seconds(reader, of_size(size // 2)))
                now = min(now, seconds(reader, of_size(size)))
            if now > RATIO * before:
                return f"{size:,} take {now:.3f} s, half of them {before:.3f} s"
        before = now
    return ""
