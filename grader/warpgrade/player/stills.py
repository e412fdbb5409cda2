"""Moments of a recording as pictures, for paper: which ones tell a phase or a race, and what they show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..drawing.moment import ArrayPicture, MomentPicture
from . import lanes, memory, moments
from .recording import READ, BlockRecording, accessed

_MOST = 512  # elements of an array that is drawn
_ROW = 32  # columns of an array of one dimension: one for each bank


def of_phase(recording: BlockRecording) -> tuple[int, ...]:
    """Three moments up to the second barrier: while shared memory fills, when all but one warp wait, while it
    is read.
    """
    opened = [at for at, step in enumerate(recording.steps) if step.opens]
    opening, end = (*opened, *2 * [len(recording.steps) - 1])[:2]
    stores = [at for at in _uses(recording, is_read=False) if at < opening]
    loads = [at for at in _uses(recording, is_read=True) if opening < at < end]
    found = [*_middle(stores), max(opening - 1, 0), *_middle(loads)]
    return tuple(sorted(set(found)))


def of_race(recording: BlockRecording, finding: Mapping[str, Any]) -> tuple[int, ...]:
    """Both sides of a race, and the last write of its element before them, if there is one."""
    sides = sorted({step for step in (finding["step"], finding["other_step"]) if step >= 0})
    element = finding["element"]
    if not sides or not element:
        return tuple(sides)
    space, first = _place(recording, element)
    before = [
        at
        for at, step in enumerate(recording.steps[: sides[0]])
        for access, lane in accessed(step)
        if access.space == space and access.kind != READ
        if access.addresses[lane] <= first < access.addresses[lane] + access.size
    ]
    return (*before[-1:], *sides)


def picture(recording: BlockRecording, moment: int, raced: Mapping[str, Any] | None = None) -> MomentPicture:
    """`raced`: the element of a finding."""
    step = recording.steps[moment]
    return MomentPicture(
        step=recording.head["first"] + moment + 1,
        warp=step.warp,
        line=recording.line(step),
        lanes=lanes.states(recording, moment),
        arrays=tuple(_arrays(recording, moment, raced)),
    )


def _arrays(
    recording: BlockRecording, moment: int, raced: Mapping[str, Any] | None
) -> Iterator[ArrayPicture]:
    for name, start, size, count in moments.arrays(recording, "shared"):
        if not 0 < count <= _MOST:
            continue
        written = {(offset - start) // size for offset in recording.shared}
        now: dict[int, str] = {}
        for at, step in enumerate(recording.steps[: moment + 1]):
            for access, lane in accessed(step):
                index = (access.addresses[lane] - start) // size
                if access.space != "shared" or not 0 <= index < count:
                    continue
                if access.kind != READ:
                    written.update(range(index, min(count, index + max(1, access.size // size))))
                if at == moment:
                    now[index] = "read" if access.kind == READ else "written"
        cells = [now.get(at, "known" if at in written else "never") for at in range(count)]
        if raced and raced["array"] == name and raced["index"] < count:
            cells[raced["index"]] = "raced"
        yield ArrayPicture(name, _columns(recording, name, count), tuple(cells))


def _columns(recording: BlockRecording, name: str, count: int) -> int:
    row = memory.row_of(recording.head, name)
    extents: list[int] = row.get("shape", []) if row else []
    return int(extents[-1]) if len(extents) > 1 else min(_ROW, count)


def _uses(recording: BlockRecording, is_read: bool) -> list[int]:
    """Steps that access shared memory."""
    return [
        at
        for at, step in enumerate(recording.steps)
        if any(each.space == "shared" and (each.kind == READ) == is_read for each in step.accesses)
    ]


def _middle(steps: list[int]) -> list[int]:
    return [steps[len(steps) // 2]] if steps else []


def _place(recording: BlockRecording, element: Mapping[str, Any]) -> tuple[str, int]:
    for space in ("shared", "global"):
        for name, start, size, _ in moments.arrays(recording, space):
            if name == element["array"]:
                return space, start + element["index"] * size
    return "", 0
