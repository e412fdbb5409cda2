"""Advice about an access outside a matrix: from the thread that made it, and from the distance.

The emulator knows bytes and threads; a case knows the widths of A, B and C. Together they distinguish a
missing bound on rows from a `<=` and from a last tile that reaches too far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.hardware import FLOAT
from ..records import Case, Finding, LaunchShape, Memory
from .wrong_answer import called

_CODES = ("WG101", "WG102")
_SHARED_WRITES = "WG111"


@dataclass(frozen=True)
class _MatrixParameter:
    name: str
    rows: int
    columns: int
    row_sign: str  # what the lab calls its sizes
    column_sign: str


def advised(finding: Finding, case: Case, shape: LaunchShape | None, text: str = "") -> Finding:
    """The finding with advice that fits it; unchanged where nothing more is known. `text`: the kernel's
    source.
    """
    memory = finding.memory
    if finding.code == _SHARED_WRITES and memory is not None and memory.space == "shared":
        return replace(finding, help=_crowded(memory, shape) or finding.help)
    if finding.code not in _CODES or memory is None or memory.relation not in ("before", "after"):
        return finding
    if memory.space == "shared":
        return replace(finding, help=_in_shared(memory, shape, text))
    matrix = _matrix(memory.allocation, case)
    if matrix is None:
        return finding
    words = _by_thread(finding, matrix, case, shape) or _by_distance(
        memory.distance, matrix, case, shape, text
    )
    return replace(finding, help=words)


def _matrix(name: str, case: Case) -> _MatrixParameter | None:
    m, n, k = case.size
    known = {"A": (m, k, "m", "k"), "B": (k, n, "k", "n"), "C": (m, n, "m", "n")}
    return _MatrixParameter(name, *known[name]) if name in known else None


def _by_thread(finding: Finding, matrix: _MatrixParameter, case: Case, shape: LaunchShape | None) -> str:
    """Where each thread computes one element of C: advice if this thread's lies outside C; else ""."""
    place = finding.place
    if shape is None or shape.threads != shape.outputs or len(place.block) < 2 or len(place.thread) < 2:
        return ""
    column, row = (place.block[i] * shape.threads[i] + place.thread[i] for i in (0, 1))
    outside = []
    if row >= case.m and matrix.row_sign == "m":
        outside.append(f"row {row} is not below m = {case.m}")
    if column >= case.n and matrix.column_sign == "n":
        outside.append(f"column {column} is not below n = {case.n}")
    if not outside:
        return ""
    what = "must not write" if matrix.name == "C" else "must not read there, and counts as 0"
    return f"This thread stands outside C, as its {' and its '.join(outside)}: it {what}."


def _in_shared(memory: Memory, shape: LaunchShape | None, text: str) -> str:
    """Advice for a shared array, whose size does not depend on the matrices."""
    return _crowded(memory, shape) or (
        f"{_room(memory)}: keep each index below its dimension{_too_far(text)}."
    )


def _room(memory: Memory) -> str:
    name = memory.allocation.removeprefix("shared array ")
    return f"{name} has room for {memory.allocation_bytes // FLOAT:,} floats"


def _crowded(memory: Memory, shape: LaunchShape | None) -> str:
    """Advice where a block has more threads than its array has elements; else ""."""
    if shape is None or memory.allocation_bytes // FLOAT >= shape.threads_per_block:
        return ""
    return (
        f"{_room(memory)}, and {called(shape)} gives a block {shape.threads_per_block:,} threads: if each "
        "has an element of its own, make the tile and the launch shape go together."
    )


def _too_far(text: str) -> str:
    """A <= is blamed only where the source contains one."""
    return ", and where a loop or a bound says <=, let it say <" if "<=" in text else ""


def _is_whole(case: Case, shape: LaunchShape | None) -> bool:
    """Whether no tile reaches over a border, so that no bound is missing."""
    if shape is None:
        return False
    columns, rows = shape.outputs
    return case.m % rows == case.n % columns == case.k % columns == 0


def _by_distance(
    distance: int, matrix: _MatrixParameter, case: Case, shape: LaunchShape | None, text: str
) -> str:
    name, width = matrix.name, matrix.columns
    if distance < 0:
        return f"The index into {name} is negative: look at what is subtracted, and bound it below by 0."
    beyond = distance // FLOAT  # 0: the first element behind the last
    size = f"{name} has {matrix.rows} × {width} elements ({matrix.row_sign} × {matrix.column_sign})"
    if beyond == 0 and "<=" in text:
        return (
            f"{size}, and this is the first one behind its last: where a loop or a bound says <=, "
            "it should say <."
        )
    if beyond == 0 or _is_whole(case, shape):
        return (
            f"{size}, and this is {beyond + 1:,} behind its last: look at how far each loop runs"
            f"{_too_far(text)}, and at the width of a row in the index, which is "
            f"{matrix.column_sign} for {name}."
        )
    if beyond < width - 1:
        return (
            f"{size}, and this is {beyond + 1} behind the end of its last row: bound the column by "
            f"{matrix.column_sign} before you read or write, also in the last, partial tile."
        )
    rows = (beyond + 1) // width
    far = "a row" if rows == 1 else f"{rows} rows"
    return f"{size}, and this is {far} too far: bound the row by {matrix.row_sign} before you read or write."
