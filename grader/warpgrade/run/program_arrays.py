"""What a program calls the memory that it asked for: the back end knows an allocation by its number only.

The name is what the line of the call hands to cudaMalloc or one of its like.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..records import Finding

_MADE = re.compile(
    r"\bcuda(?:Malloc\w{0,20}|HostAlloc)\s*+\(\s*+"
    r"(?:(?:\(\s*+void\s*+\*\s*+\*\s*+\)|reinterpret_cast\s*+<\s*+void\s*+\*\s*+\*\s*+>\s*+\()\s*+)?"
    r"&?+\s*+([\w.>\-\[\]]{1,60}+)\s*+[,)]"
)
_NUMBERED = re.compile(r"allocation \d+")


def named(finding: Finding, source: str) -> Finding:
    """The finding with the program's name for its memory, if `source`, the line of the call, has one."""
    memory, made = finding.memory, _MADE.search(source)
    if memory is None or made is None or not _NUMBERED.fullmatch(memory.allocation):
        return finding
    number, name = re.compile(rf"\b{memory.allocation}\b"), made[1]

    def called(text: str) -> str:
        return number.sub(lambda _: name, text)

    words = called(memory.words) if memory.words else memory.words
    return replace(
        finding,
        message=called(finding.message),
        help=called(finding.help),
        memory=replace(memory, allocation=name, words=words),
    )
