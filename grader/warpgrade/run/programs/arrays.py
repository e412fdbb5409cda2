"""The program's names for its allocations: the back end knows only their numbers.

The name is the argument that the line passes to cudaMalloc or a similar function. Of several calls on a line,
the one with the lowest return address comes first in the text. Allocations by one call in a loop share a name
and are numbered by turns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...records import Finding, HostCall, Memory

_MADE = re.compile(
    r"\bcuda(?:Malloc\w{0,20}|HostAlloc)\s*+\(\s*+"
    r"(?:(?:\(\s*+void\s*+\*\s*+\*\s*+\)|reinterpret_cast\s*+<\s*+void\s*+\*\s*+\*\s*+>\s*+\()\s*+)?"
    r"&?+\s*+([\w.>\-\[\]]{1,60}+)\s*+[,)]"
)
_NUMBERED = re.compile(r"allocation \d+")


@dataclass(frozen=True)
class Making:
    """A call that made memory: its place among `calls` of its line. A compiler may make several of one."""

    place: int = 0
    calls: int = 1
    turn: int = 0  # of the call, from 1; 0: there is but one, or it is not known
    turn_of_line: int = 0


def makers(calls: Sequence[HostCall]) -> set[int]:
    """Return addresses of the calls that made memory."""
    return {call.caller for call in calls if call.memory and call.bytes}


def making_of(
    memory: Memory | None, caller: int, calls: Sequence[HostCall], lines: Mapping[int, tuple[str, int]]
) -> Making:
    """`caller`: return address of the call that made the memory; 0: not known."""
    on_line = sorted(each for each in makers(calls) if lines.get(each) == lines.get(caller))
    if memory is None or caller not in on_line:
        return Making()
    of_call = _turn(memory, [call for call in calls if call.caller == caller])
    of_line = _turn(memory, [call for call in calls if call.caller in on_line])
    return Making(on_line.index(caller), len(on_line), of_call, of_line)


def _turn(memory: Memory, calls: Sequence[HostCall]) -> int:
    """Which of several calls made the memory, from 1; 0 if there is but one, or the place was used again."""
    made = [call.memory for call in calls if call.memory and call.bytes]
    base = _base(memory)
    return made.index(base) + 1 if len(made) > 1 and made.count(base) == 1 else 0


def _base(memory: Memory) -> int:
    behind = memory.allocation_bytes if memory.relation == "after" else 0
    return int(memory.address or "0", 16) - memory.distance - behind


def named(finding: Finding, source: str, making: Making = Making()) -> Finding:
    """The finding with the program's name for its memory, if `source`, the line of the call, has one."""
    memory, names = finding.memory, _MADE.findall(source)
    if memory is None or not _NUMBERED.fullmatch(memory.allocation):
        return finding
    if len(names) not in (1, making.calls):
        return finding
    is_one = len(names) == 1
    turn = making.turn_of_line if is_one else making.turn
    number, name = re.compile(rf"\b{memory.allocation}\b"), names[0 if is_one else making.place]
    if turn and memory.made_at:
        memory = replace(memory, made_at=f"{memory.made_at}, in turn {turn}")

    def called(text: str) -> str:
        return number.sub(lambda _: name, text)

    words = called(memory.words) if memory.words else memory.words
    return replace(
        finding,
        message=called(finding.message),
        help=called(finding.help),
        memory=replace(memory, allocation=name, words=words),
    )
