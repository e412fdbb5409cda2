"""Advice on a race of threads that read the array which they are to write: a kernel that never reads its
input means that one there, and one that is launched with a single array twice has no other.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ....records import Finding
from .. import source_text
from .lost_update import UPDATE

CAUSE = "mistaken-array"
_KINDS = ("global-race", "global-race-same-value")
_LONGEST = 20000  # characters of a kernel
_POINTER = re.compile(r"\*[\s\w]*?\b(\w++)\s*+$")
_CONST = re.compile(r"\bconst\b[^*]*+\*")


def advised(finding: Finding, text: str) -> Finding:
    """The finding with advice; unchanged where it is another race. `text`: the file without comments."""
    other, memory = finding.other, finding.memory
    if finding.kind not in _KINDS or finding.cause or other is None or memory is None:
        return finding
    if {finding.place.access, other.access} != {"read", "write"}:
        return finding
    reader, writer = sorted((finding.place, other), key=lambda side: side.access)
    if UPDATE.search(writer.source):  # bins[i] += 1 means this array
        return finding
    for head in source_text.functions(text):
        if finding.kernel not in ("", head[1]):
            continue
        body = text[head.end() : source_text.block_end(text, head.end(), _LONGEST)]
        inputs, results = _pointers(head[2])
        if memory.allocation in results and (unread := _unread(inputs, body)):
            return replace(finding, cause=CAUSE, help=_never_read(memory.allocation, unread[0], finding.help))
        read, written = (_indexed(side.source, inputs + results) for side in (reader, writer))
        if len(read) == len(written) == 1 and read != written and read[0] in inputs:
            return replace(finding, cause=CAUSE, help=_one_array(read[0], written[0], finding.help))
    return finding


def _pointers(parameters: str) -> tuple[list[str], list[str]]:
    """The names of the pointers to constants, and of those through which the kernel may write."""
    inputs: list[str] = []
    results: list[str] = []
    for parameter in source_text.split(parameters):
        if name := _POINTER.search(parameter):
            (inputs if _CONST.search(parameter) else results).append(name[1])
    return inputs, results


def _unread(inputs: list[str], body: str) -> list[str]:
    return [name for name in inputs if not re.search(rf"\b{re.escape(name)}\b", body)]


def _indexed(line: str, names: list[str]) -> list[str]:
    return [name for name in names if re.search(rf"\b{re.escape(name)}\s*+\[", line)]


def _never_read(written: str, unread: str, help: str) -> str:
    return (
        f"Is {written} the array that is meant where it is read? The kernel never reads {unread}, and what "
        f"it reads of {written} another thread may just have written. If {written} is meant: {help}"
    )


def _one_array(read: str, written: str, help: str) -> str:
    return (
        f"{read} and {written} are one array in this launch: what a thread reads through {read}, another one "
        f"writes through {written}. Is that meant, or are the results to have an array of their own? If it "
        f"is meant: {help}"
    )
