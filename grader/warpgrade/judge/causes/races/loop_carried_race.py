"""A race between two iterations of a loop: the write precedes the read in the source but ran after it.

A finding names the later access first, with the lines of both. A barrier between the two lines orders the
write before the read of the same iteration, so the missing barrier is the one after the read.
"""

from __future__ import annotations

import bisect
import functools
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
    barriers = _barriers(submission.source(write.file.rsplit("/", 1)[-1]) or "")
    if bisect.bisect_right(barriers, write.line) == bisect.bisect_left(barriers, read.line):
        return finding
    message = (
        f"thread {formatting.index(read.thread)} reads {_what(finding.memory)}, which thread "
        f"{formatting.index(write.thread)} overwrites, with no barrier in between"
    )
    return replace(finding, message=message, place=read, other=write, help=HELP, cause="next-turn-overwrites")


@functools.lru_cache(maxsize=4)  # each race of a submission asks for it
def _barriers(text: str) -> tuple[int, ...]:
    """Numbers of the lines with a barrier, in order."""
    return tuple(n for n, line in enumerate(bare(text).split("\n"), 1) if "__syncthreads" in line)


def _what(memory: Memory | None) -> str:
    if memory is None or memory.relation != "inside":
        return "shared memory"
    return memory.words or f"byte {memory.distance} of {memory.allocation}"
