"""Moments of a recording as pictures, for paper: which ones tell a phase or a race, and what they show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..drawing.moment import ArrayPicture, MomentPicture
from . import lanes, memory, moments
from .recording import READ, BlockRecording, accessed

_MOST = 512  # elements of an array that is drawn as a whole
_ROWS, _COLUMNS = 16, 33  # of a larger one, around the element of a race
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
        index_of_race = raced["index"] if raced and raced["array"] == name else -1
        if count < 1 or (count > _MOST and not 0 <= index_of_race < count):
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
        if 0 <= index_of_race < count:
            cells[index_of_race] = "raced"
        extents = _extents(recording, name)
        if count > _MOST:
            is_table = len(extents) == 2
            whole = ArrayPicture(name, extents[1] if is_table else _ROW, tuple(cells))
            yield _around(whole, index_of_race, is_table)
        else:
            columns = extents[-1] if len(extents) > 1 else min(_ROW, count)
            yield ArrayPicture(name, columns, tuple(cells))


def _around(whole: ArrayPicture, index: int, is_table: bool) -> ArrayPicture:
    """The part of an array around an element, under a name that says which part it is."""
    row, column = divmod(index, whole.columns)
    rows, columns = _range(row, _ROWS, whole.rows), _range(column, _COLUMNS, whole.columns)
    cells = [whole.cells[at * whole.columns : (at + 1) * whole.columns] for at in rows]
    cut = [cell for cells_of_row in cells for cell in cells_of_row[columns.start : columns.stop]]
    first = rows.start * whole.columns
    ranges = (rows, columns) if is_table else (range(first, first + len(cut)),)
    part = "".join(f"[{each.start}…{each.stop - 1}]" for each in ranges)
    return ArrayPicture(whole.name + part, len(columns), tuple(cut))


def _range(at: int, most: int, count: int) -> range:
    """At most `most` of `count` numbers, with `at` in their middle if possible."""
    first = max(0, min(at - most // 2, count - most))
    return range(first, min(count, first + most))


def _extents(recording: BlockRecording, name: str) -> list[int]:
    row = memory.row_of(recording.head, name)
    return [int(extent) for extent in row.get("shape", [])] if row else []


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
