"""A race of a loop's next turn: the write stands first in the source, yet it came after the read.

The emulator names the later access first and where each stands. A barrier that stands between the two lines
orders the write before the read of the same turn, so what is missing is the other barrier, behind the read.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..records import Finding, Submission
from .wrong_answer import bare

HELP = (
    "The next turn of the loop writes what other threads still read: put a __syncthreads() at the end of "
    "the loop's body."
)
_WORDS = re.compile(r"^(thread \([\d,]+\)) writes (.+), which (thread \([\d,]+\)) reads, with no barrier ")


def turned(finding: Finding, submission: Submission) -> Finding:
    """Read first, with advice that fits; as it is where it is another race."""
    write, read = finding.place, finding.other
    words = _WORDS.match(finding.message)
    if finding.kind != "race-read-write" or read is None or words is None or write.file != read.file:
        return finding
    lines = bare(submission.source(write.file.rsplit("/", 1)[-1]) or "").split("\n")
    if "__syncthreads" not in "\n".join(lines[write.line : max(0, read.line - 1)]):
        return finding
    writer, what, reader = words.groups()
    message = f"{reader} reads {what}, which {writer} overwrites, with no barrier in between"
    return replace(finding, message=message, place=read, other=write, help=HELP)
