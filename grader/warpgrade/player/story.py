"""A recording in words, for the terminal: who accessed a finding's element, and one thread line by line."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..core import formatting
from . import memory, moments
from .parts import leaves
from .recording import READ, BlockRecording, BlockStep, accessed

_VERBS = ("reads", "writes", "updates")
_AROUND = 20  # accesses of an element before and after the finding's
_LINES = 40  # of a thread


def lines(recording: BlockRecording, thread: Sequence[int] = (0, 0, 0)) -> Iterator[str]:
    """The story of a block, in sentences. `recording.head` has the findings (scene.py). `thread`: without a
    finding, the thread whose steps are described.
    """
    head = recording.head
    opened = sum(step.opens for step in recording.steps)
    yield (
        f"Block {formatting.index(head['block_index'])} of {head['called']}"
        f"{', case ' + head['label'] if head['label'] else ''}: {_warps(head)} warps, "
        f"{len(recording.steps):,} steps, barriers opened {opened} times."
    )
    for number, finding in enumerate(head.get("findings", ()), 1):
        yield ""
        yield from _finding(recording, number, finding)
    yield ""
    moment, places = 0, [tuple(thread)]
    for first in head.get("findings", ())[:1]:
        steps = [step for step in (first["step"], first["other_step"]) if step >= 0]
        moment, places = min(steps, default=0), _places(first)
    for place in places:
        yield from _thread(recording, place, moment)
        yield ""


def _places(finding: Mapping[str, Any]) -> list[tuple[int, ...]]:
    sides = [tuple(finding["thread"])]
    if finding.get("other"):
        sides.append(tuple(finding["other"]["thread"]))
    return list(dict.fromkeys(sides))


def _finding(recording: BlockRecording, number: int, finding: Mapping[str, Any]) -> Iterator[str]:
    yield f"{number}. {finding['title']} {finding['code']}: {finding['message']}"
    element = finding["element"]
    if element:
        yield f"   What happened to {name_of(recording, element['array'], element['index'])}:"
        yield from _history(recording, element, finding)
    elif finding["access"] == "barrier" and finding.get("other"):
        yield from _at_barrier(recording, finding)
    both = finding["step"] >= 0 and finding["other_step"] >= 0
    if finding.get("between_blocks") and finding["check"] == "race":
        block = formatting.index(finding["other"]["block"])
        yield f"   The other access is in block {block}, and nothing orders the two: either may come first."
    elif both and finding["check"] == "race" and element:
        first, second = sorted((finding["step"], finding["other_step"]))
        between = sum(step.opens for step in recording.steps[first:second])
        reached = {row[0] for row in _accesses(recording, element)}
        if between == 0 and {first, second} <= reached:
            yield "   No barrier opens between these two: nothing makes the second wait for the first."
    if finding["help"]:
        yield f"   {finding['help']}"


def _at_barrier(recording: BlockRecording, finding: Mapping[str, Any]) -> Iterator[str]:
    """The thread that waits and the one that goes on, in the order of their steps."""
    sides = ((finding["step"], finding), (finding["other_step"], finding["other"]))
    for number, side in sorted((each for each in sides if each[0] >= 0), key=lambda each: each[0]):
        does = (
            "waits at the barrier" if moments.is_barrier(number, recording) else "goes on without the barrier"
        )
        thread = _thread_name(recording, moments.linear(side["thread"], recording.head["block"]))
        yield f"   → step {number + 1:>6,}  line {side['line']:>3}  thread {thread} {does}"


def _history(
    recording: BlockRecording, element: Mapping[str, Any], finding: Mapping[str, Any]
) -> Iterator[str]:
    rows = list(_accesses(recording, element))
    marked = {finding["step"], finding["other_step"]}
    at = [i for i, row in enumerate(rows) if row[0] in marked]
    if not at:
        return
    phase, start = None, rows[max(0, at[0] - _AROUND)][0]
    is_written = any(row[3] != READ for row in rows if row[0] < start) or _is_known(recording, element)
    around = rows[max(0, at[0] - _AROUND) : at[-1] + _AROUND + 1]
    for (number, opened, kind, value), each in groupby(around, key=lambda row: (*row[:2], *row[3:])):
        if phase is not None and opened != phase:
            yield (
                "     -- barrier opens --" if opened == phase + 1 else f"     -- {opened - phase} barriers --"
            )
        phase = opened
        threads = [row[2] for row in each]
        sign = "→" if number in marked else " "
        line = recording.line(recording.steps[number])
        who = _who(recording, threads)
        verb = _VERBS[kind] if len(threads) == 1 else _VERBS[kind][:-1]
        is_written = is_written or kind != READ
        what = value if is_written else "what nothing has written"
        yield f"   {sign} step {number + 1:>6,}  line {line:>3}  {who} {verb} {what}"


def _who(recording: BlockRecording, threads: Sequence[int]) -> str:
    names = [_thread_name(recording, each) for each in threads]
    if len(names) <= 2:
        return f"thread{'s' * (len(names) > 1)} {' and '.join(names)}"
    is_row = threads[-1] - threads[0] == len(threads) - 1
    return f"{'threads' if is_row else f'{len(names)} threads from'} {names[0]} to {names[-1]}"


def _is_known(recording: BlockRecording, element: Mapping[str, Any]) -> bool:
    """Whether the element has a value before the first step: global memory, and what was written by then."""
    space, start, size = _place(recording, element["array"])
    return space == "global" or start + element["index"] * size in recording.shared


def _accesses(
    recording: BlockRecording, element: Mapping[str, Any]
) -> Iterator[tuple[int, int, int, int, str]]:
    """Step, phase, thread, kind and value of each access to an element."""
    space, start, size = _place(recording, element["array"])
    first, phase = start + element["index"] * size, 0
    kind_of_value = _kind(recording, element["array"], element["index"])
    for number, step in enumerate(recording.steps):
        for access, lane in accessed(step):
            at = first - access.addresses[lane]
            if access.space == space and 0 <= at < access.size:
                content = access.after[lane][at : at + size]
                yield number, phase, 32 * step.warp + lane, access.kind, shown(kind_of_value, content)
        phase += step.opens


def _place(recording: BlockRecording, array: str) -> tuple[str, int, int]:
    for space in ("shared", "global"):
        for name, start, size, _ in moments.arrays(recording, space):
            if name == array:
                return space, start, size
    raise KeyError(array)


def _kind(recording: BlockRecording, array: str, index: int) -> str:
    row = memory.row_of(recording.head, array)
    return memory.kind_of(row, index) if row else "float"


def shown(kind: str, content: bytes) -> str:
    """A value by its type: "float", "int", "uint", "bool", "pointer"."""
    if kind == "float" and len(content) in (4, 8):
        return f"{struct.unpack('<f' if len(content) == 4 else '<d', content)[0]:.6g}"
    if kind == "bool":
        return "true" if any(content) else "false"
    number = int.from_bytes(content, "little", signed=kind == "int")
    return f"{number:#x}" if kind == "pointer" else str(number)


def name_of(recording: BlockRecording, array: str, index: int) -> str:
    """The element's name, `tile[3][4]`, from its number."""
    row = memory.row_of(recording.head, array)
    return memory.element_name(row or {"name": array}, index)


# --- one thread ---------------------------------------------------------------------------------


def _thread(recording: BlockRecording, place: Sequence[int], moment: int) -> Iterator[str]:
    """Lines that the thread executes around a moment, with the values that its variables get there."""
    thread = moments.linear(place, recording.head["block"])
    lines = list(_lines_of(recording, thread))
    at = next((i for i, row in enumerate(lines) if row[1] >= moment), 0)
    first = max(0, at - _LINES // 2)
    yield f"Thread {_thread_name(recording, thread)}, line by line:"
    source = recording.head.get("source", "").split("\n")
    for line, _, words in lines[first : first + _LINES]:
        text = source[line - 1].strip()[:60] if 0 < line <= len(source) else ""
        yield f"  {line:>4}  {text:<60}  {words}".rstrip()
    if len(lines) > first + _LINES:
        yield f"        … {len(lines) - first - _LINES:,} more lines"


def _lines_of(recording: BlockRecording, thread: int) -> Iterator[tuple[int, int, str]]:
    """Each line that the thread is at, the last step there, and what it sets and touches."""
    line, last = 0, -1
    words: dict[str, None] = {}
    for number, step in enumerate(recording.steps):
        is_own = step.warp == thread // 32 and step.has(thread % 32)
        if step.opens and line and not is_own:
            words["the barrier opens"] = None
        if not is_own:
            continue
        here = recording.line(step)
        if here and here != line:
            if line:
                yield line, last, ", ".join(words)
            line, words = here, {}
        words.update(dict.fromkeys(_events(recording, step, thread)))
        if step.opens:
            words["the barrier opens"] = None
        last = number
    if line:
        yield line, last, ", ".join(words)


def _events(recording: BlockRecording, step: BlockStep, thread: int) -> Iterator[str]:
    lane = thread % 32
    for access in step.accesses:
        if lane in access.addresses and access.space in ("shared", "global"):
            yield _touched(recording, access.space, access.addresses[lane], access.kind, access.after[lane])
        if lane in access.addresses and access.space == "local" and access.kind != READ:
            yield from _set_on_the_stack(recording, step, access.addresses[lane], access.after[lane])
    for number, values in step.registers.items():
        for variable in recording.head["variables"]:
            is_there = any(
                place[2] == "register" and place[3] == number and place[0] <= step.instruction + 1 < place[1]
                for place in variable["places"]
            )
            if is_there and lane in values:
                size = variable["type"]["bytes"] or 4
                content = values[lane].to_bytes(8, "little")[:size]
                yield f"{variable['name']} = {shown(variable['type']['kind'], content)}"
    if step.fault:
        yield "here the kernel fails"


def _set_on_the_stack(
    recording: BlockRecording, step: BlockStep, address: int, content: bytes
) -> Iterator[str]:
    """The part of a variable in local memory that a store sets."""
    for variable in recording.head["variables"]:
        for first, end, where, offset in variable["places"]:
            if where != "local" or not first <= step.instruction < end:
                continue
            for path, inside, type in leaves(variable["type"]):
                if offset + inside == address and type["bytes"] <= len(content):
                    value = shown(type["kind"], content[: type["bytes"]])
                    yield f"{variable['name']}{path} = {value}"


def _touched(recording: BlockRecording, space: str, address: int, kind: int, content: bytes) -> str:
    for name, start, size, count in moments.arrays(recording, space):
        if start <= address < start + size * count:
            index = (address - start) // size
            value = shown(_kind(recording, name, index), content[:size])
            return f"{_VERBS[kind]} {name_of(recording, name, index)} {'=' if kind == READ else ':='} {value}"
    return f"{_VERBS[kind]} {space} memory"


def _thread_name(recording: BlockRecording, thread: int) -> str:
    x, y, z = recording.head["block"]
    at = (thread % x, thread // x % y, thread // (x * y))
    return formatting.index(at if z > 1 else at[:2] if y > 1 else at[:1])


def _warps(head: Mapping[str, Any]) -> int:
    x, y, z = head["block"]
    return -(-int(x * y * z) // 32)
