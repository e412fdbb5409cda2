"""A race between two iterations of a loop: the write precedes the read in the source but ran after it.

A finding names the later access first, with the lines of both. A barrier between the two lines orders the
write before the read of the same iteration, so the missing barrier is the one after the read.
"""

from __future__ import annotations

import bisect
import functools
import re
from dataclasses import replace

from ....core import formatting
from ....records import Finding, Memory, Submission
from ..source_text import bare

HELP = (
    "The next turn of the loop writes what other threads still read: put a __syncthreads() at the end of "
    "the loop's body."
)


def turned(finding: Finding, submission: Submission) -> Finding:
    """The finding with the read first and advice that fits; unchanged where it is another kind of race."""
    write, read = finding.place, finding.other
    if finding.kind != "race-read-write" or read is None or write.file != read.file:
        return finding
    if (write.access, read.access) != ("write", "read") or write.line > read.line:
        return finding
    text = submission.source(write.file.rsplit("/", 1)[-1]) or ""
    barriers = _lines_with("__syncthreads", text)
    if bisect.bisect_right(barriers, write.line) == bisect.bisect_left(barriers, read.line):
        return finding
    if not _may_turn(text, read.line):
        return finding
    message = (
        f"thread {formatting.index(read.thread)} reads {_what(finding.memory)}, which thread "
        f"{formatting.index(write.thread)} overwrites, with no barrier in between"
    )
    return replace(finding, message=message, place=read, other=write, help=HELP, cause="next-turn-overwrites")


def _may_turn(text: str, line: int) -> bool:
    """Whether a loop may be around the line: in its kernel, or where its function is called."""
    kernels = _lines_with("__global__", text)
    own = bisect.bisect_right(kernels, line)
    begin = kernels[own - 1] if own else 0
    starts = (_lines_with(word, text) for word in (r"\b(?:for|while|do|goto)\b", "__device__"))
    return not own or any(bisect.bisect_left(at, begin) < bisect.bisect_right(at, line) for at in starts)


@functools.lru_cache(maxsize=16)  # each race of a submission asks for it
def _lines_with(words: str, text: str) -> tuple[int, ...]:
    """Numbers of the lines that the pattern occurs in, in order."""
    return tuple(n for n, line in enumerate(bare(text).split("\n"), 1) if re.search(words, line))


def _what(memory: Memory | None) -> str:
    if memory is None or memory.relation != "inside":
        return "shared memory"
    return memory.words or f"byte {memory.distance} of {memory.allocation}"
