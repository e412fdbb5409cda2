"""Find the moments of findings in a recording: the step of each side, and the element that both touch.

Findings may come from another build than the recording. So they are found again by what both builds share:
line, thread, and kind of access.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..records import Finding, Place
from . import memory
from .recording import ATOMIC, READ, WRITE, BlockRecording, BlockStep, accessed

_BARRIER = re.compile(r"\bbar(rier)?\.")
_KINDS = {"read": (READ,), "write": (WRITE, ATOMIC), "atomic": (ATOMIC,), "copy": (READ, WRITE)}


@dataclass(frozen=True)
class Touch:
    """One lane's access: its step, and the bytes that it touches."""

    step: int
    space: str
    first: int  # address
    end: int
    phase: int  # barriers of the block that have opened before it


@dataclass(frozen=True)
class Moment:
    """`step`, `other`: of the finding's two sides, None where the recording does not hold it."""

    step: int | None
    other: int | None = None
    space: str = ""
    address: int = 0


def moment_of(finding: Finding, recording: BlockRecording) -> Moment:
    """The moment of a finding in the recording of its block."""
    here = tuple(recording.head["block_index"])
    if finding.place.block and tuple(finding.place.block) != here:
        return Moment(None)
    if recording.head["failed"] and finding.severity == "error" and not finding.other:
        last = len(recording.steps) - 1
        if recording.line(recording.steps[last]) == finding.place.line:
            return Moment(last)
    if finding.place.access == "barrier" and finding.other and tuple(finding.other.block) == here:
        left = _left_at_barrier(finding.place, finding.other, recording)
        if left:
            return left
    first = list(_touches(finding.place, recording))
    if finding.other is not None and tuple(finding.other.block) == here:
        pair = _of_race(finding, finding.other, recording)
        if pair:
            return pair
    if finding.check == "init" and first:
        first = _unwritten(first, recording) or first
    first = _at_its_memory(first, finding, recording) or first
    at = first[0] if first else None
    step = at.step if at else _executes(finding.place, recording)
    other = (
        _executes(finding.other, recording) if finding.other and tuple(finding.other.block) == here else None
    )
    return Moment(step, other, at.space if at else "", at.first if at else 0)


def _of_race(finding: Finding, other: Place, recording: BlockRecording) -> Moment | None:
    """Two accesses that race, if possible to the bytes that the finding names."""
    first, second = _side_of_race(finding.place, recording), _side_of_race(other, recording)
    named = _at_its_memory(first, finding, recording)
    return _pair(named, second) or _pair(first, second)


def _side_of_race(place: Place, recording: BlockRecording) -> list[Touch]:
    """The thread's accesses at that line. An asynchronous copy writes when its thread waits for it, which is
    at another line: then those of that kind at any line.
    """
    return list(_touches(place, recording)) or list(_touches(place, recording, at_any_line=True))


def _at_its_memory(touches: Sequence[Touch], finding: Finding, recording: BlockRecording) -> list[Touch]:
    """The accesses to the bytes of shared or global memory that the finding names."""
    wanted = finding.memory
    if wanted is None or wanted.space not in ("shared", "global"):
        return []
    begin = memory.begin_of(recording.head, wanted)
    is_inside = begin is not None and wanted.relation == "inside"
    at = begin + wanted.distance if begin is not None and is_inside else int(wanted.address or "0", 16)
    here = (each for each in touches if each.space == wanted.space)
    return [
        replace(each, first=max(each.first, at))
        for each in here
        if each.first < at + wanted.bytes and at < each.end
    ]


def seen_from(block: tuple[int, ...], finding: Finding) -> Finding | None:
    """The finding with its side in that block first; None where neither side is there."""
    if tuple(finding.place.block) in (block, ()):
        return finding
    if finding.other is None or tuple(finding.other.block) != block:
        return None
    return replace(finding, place=finding.other, other=finding.place)


def rows(findings: Sequence[Finding], recording: BlockRecording) -> list[dict[str, Any]]:
    """The findings as the page reads them: `step`, `other_step` and `element` beside their own fields."""
    return [_row(finding, moment_of(finding, recording), recording) for finding in findings]


def _row(finding: Finding, moment: Moment, recording: BlockRecording) -> dict[str, Any]:
    place = finding.place
    element = _element(moment, recording)
    row = {
        "check": finding.check,
        "kind": finding.kind,
        "code": finding.code,
        "title": finding.called,
        "message": finding.message,
        "help": finding.help,
        "line": place.line,
        "thread": list(place.thread) or [0, 0, 0],
        "access": place.access,
        "step": -1 if moment.step is None else moment.step,
        "other_step": -1 if moment.other is None else moment.other,
        "element": element,
    }
    if not element:
        row["outside"] = memory.element_of(recording.head, finding.memory)
    if finding.other:
        row["other"] = _side(finding.other) | {"block": list(finding.other.block)}
        row["between_blocks"] = bool(
            finding.other.block and tuple(finding.other.block) != tuple(recording.head["block_index"])
        )
    # Of an uninitialised read: who should have written, and the branch at which that thread passed the store.
    for name, side in (("writer", finding.writer), ("left", finding.left)):
        if side and tuple(side.block) == tuple(recording.head["block_index"]):
            step = _executes(side, recording)
            row[name] = _side(side) | {"step": -1 if step is None else step}
    return row


def _side(place: Place) -> dict[str, Any]:
    return {"line": place.line, "thread": list(place.thread) or [0, 0, 0], "access": place.access}


def _element(moment: Moment, recording: BlockRecording) -> dict[str, Any] | None:
    """Array and number of the element that lies at the moment's address."""
    for name, start, size, count in arrays(recording, moment.space):
        if start <= moment.address < start + size * count:
            return {"array": name, "index": (moment.address - start) // size}
    return None


def arrays(recording: BlockRecording, space: str) -> Iterator[tuple[str, int, int, int]]:
    """Name, address, bytes of an element and number of elements of the arrays in that space."""
    head = recording.head
    for row in head["arrays"] if space == "global" else head["shared"] if space == "shared" else ():
        start = int(row["address"], 16) if space == "global" else row["offset"]
        end = start + row["bytes"] if row["bytes"] else head["shared_bytes"]
        size = row.get("element", 4)
        yield row["name"], start, size, (end - start) // size


def linear(thread: Sequence[int], block: Sequence[int]) -> int:
    """The number of a thread in its block: x fastest."""
    x, y, z = (*thread, 0, 0, 0)[:3]
    return x + block[0] * (y + block[1] * z)


def _touches(place: Place, recording: BlockRecording, at_any_line: bool = False) -> Iterator[Touch]:
    """The thread's accesses of that kind at that line, in order."""
    thread = linear(place.thread, recording.head["block"])
    kinds = _KINDS.get(place.access, (READ, WRITE, ATOMIC))
    for number, step, phase in _steps(None if at_any_line else place, recording, thread):
        for access, lane in accessed(step):
            if lane == thread % 32 and access.kind in kinds and access.space in ("shared", "global"):
                first = access.addresses[lane]
                yield Touch(number, access.space, first, first + access.size, phase)


def _steps(
    place: Place | None, recording: BlockRecording, thread: int
) -> Iterator[tuple[int, BlockStep, int]]:
    """The thread's steps at the line of the place, or all of them."""
    phase = 0
    for number, step in enumerate(recording.steps):
        is_own = step.warp == thread // 32 and step.has(thread % 32)
        if is_own and (place is None or recording.line(step) == place.line):
            yield number, step, phase
        phase += step.opens


def _executes(place: Place, recording: BlockRecording) -> int | None:
    """The first step of the thread at the line; of a barrier, the first that arrives there."""
    thread = linear(place.thread, recording.head["block"])
    steps = [(number, step) for number, step, _ in _steps(place, recording, thread)]
    if place.access == "barrier":
        arrivals = [each for each in steps if is_barrier(each[0], recording)]
        steps = arrivals or steps
    return steps[0][0] if steps else None


def _left_at_barrier(waits: Place, goes_on: Place, recording: BlockRecording) -> Moment | None:
    """The first arrival at the barrier in whose phase the other thread does not arrive there, and where that
    one goes on instead.
    """
    thread = linear(waits.thread, recording.head["block"])
    other = linear(goes_on.thread, recording.head["block"])
    arrived = {phase for number, _, phase in _steps(waits, recording, other) if is_barrier(number, recording)}
    goes = {phase: number for number, _, phase in reversed(list(_steps(goes_on, recording, other)))}
    for number, _, phase in _steps(waits, recording, thread):
        if is_barrier(number, recording) and phase in goes.keys() - arrived:
            return Moment(number, goes[phase])
    return None


def is_barrier(number: int, recording: BlockRecording) -> bool:
    """Whether the step arrives at a barrier of the block."""
    return bool(_BARRIER.search(recording.instruction(recording.steps[number].instruction)[3]))


def _pair(first: Sequence[Touch], second: Sequence[Touch]) -> Moment | None:
    """The earliest two that touch the same bytes, if possible without a barrier between them."""
    found = [
        (a.phase != b.phase, max(a.step, b.step), a, b)
        for a in first
        for b in second
        if a.space == b.space and a.first < b.end and b.first < a.end
    ]
    if not found:
        return None
    _, _, a, b = min(found, key=lambda each: each[:2])
    return Moment(a.step, b.step, a.space, max(a.first, b.first))


def _unwritten(touches: Sequence[Touch], recording: BlockRecording) -> list[Touch]:
    """The reads of memory that nothing has written before."""
    written: set[tuple[str, int]] = {("shared", offset) for offset in recording.shared}
    wanted = {touch.step: touch for touch in touches}
    found = []
    for number, step in enumerate(recording.steps):
        touch = wanted.get(number)
        if touch and (touch.space, touch.first) not in written:
            found.append(touch)
        for access, lane in accessed(step):
            if access.kind != READ:
                at = access.addresses[lane]
                written.update((access.space, at + i) for i in range(access.size))
    return found
