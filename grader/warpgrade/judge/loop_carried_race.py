"""A race of a loop's next turn: the write stands first in the source, yet it came after the read.

The emulator names the later access first and where each stands. A barrier that stands between the two lines
orders the write before the read of the same turn, so what is missing is the other barrier, behind the read.
"""

from __future__ import annotations

from dataclasses import replace

from ..records import Finding, Memory, Place, Submission
from .wrong_answer import bare

HELP = (
    "The next turn of the loop writes what other threads still read: put a __syncthreads() at the end of "
    "the loop's body."
)


def turned(finding: Finding, submission: Submission) -> Finding:
    """Read first, with advice that fits; as it is where it is another race."""
    write, read = finding.place, finding.other
    if finding.kind != "race-read-write" or read is None or write.file != read.file:
        return finding
    if (write.access, read.access) != ("write", "read") or write.thread == read.thread:
        return finding  # the same thread: by a copy that it has not waited for
    lines = bare(submission.source(write.file.rsplit("/", 1)[-1]) or "").split("\n")
    if "__syncthreads" not in "\n".join(lines[write.line : max(0, read.line - 1)]):
        return finding
    message = (
        f"{_thread(read)} reads {_what(finding.memory)}, which {_thread(write)} overwrites, with no barrier "
        "in between"
    )
    return replace(finding, message=message, place=read, other=write, help=HELP)


def _thread(place: Place) -> str:
    return f"thread ({','.join(map(str, place.thread))})"


def _what(memory: Memory | None) -> str:
    if memory is None or memory.relation != "inside":
        return "shared memory"
    return f"byte {memory.distance} of {memory.allocation}"
