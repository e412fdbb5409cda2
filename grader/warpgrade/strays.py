"""What to do about an access outside a matrix: by who made it, and by how far it is off.

The emulator knows bytes and threads; a case knows how wide A, B and C are. Together they tell a missing
bound on rows from a `<=` and from a last tile that reaches too far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .records import Case, Finding, LaunchShape

_FLOAT = 4  # bytes
_CODES = ("WG101", "WG102")


@dataclass(frozen=True)
class _Matrix:
    name: str
    rows: int
    columns: int
    row_sign: str  # what the lab calls its sizes
    column_sign: str


def advised(finding: Finding, case: Case, shape: LaunchShape | None) -> Finding:
    """The finding with advice that fits it; as it is where nothing more is known."""
    memory = finding.memory
    if finding.code not in _CODES or memory is None or memory.relation not in ("before", "after"):
        return finding
    matrix = _matrix(memory.allocation, case)
    if matrix is None:
        return finding
    words = _by_thread(finding, matrix, case, shape) or _by_distance(memory.distance, matrix)
    return replace(finding, help=words)


def _matrix(name: str, case: Case) -> _Matrix | None:
    m, n, k = case.size
    known = {"A": (m, k, "m", "k"), "B": (k, n, "k", "n"), "C": (m, n, "m", "n")}
    return _Matrix(name, *known[name]) if name in known else None


def _by_thread(finding: Finding, matrix: _Matrix, case: Case, shape: LaunchShape | None) -> str:
    """Where a thread has one element of C, it may stand outside; "" where it does not, or may have many."""
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


def _by_distance(distance: int, matrix: _Matrix) -> str:
    name, width = matrix.name, matrix.columns
    if distance < 0:
        return f"The index into {name} is negative: look at what is subtracted, and bound it below by 0."
    beyond = distance // _FLOAT  # 0: the first element behind the last
    size = f"{name} has {matrix.rows} × {width} elements ({matrix.row_sign} × {matrix.column_sign})"
    if beyond == 0:
        return (
            f"{size}, and this is the first one behind its last: where a loop or a bound says <=, "
            "it should say <."
        )
    if beyond < width - 1:
        return (
            f"{size}, and this is {beyond + 1} behind the end of its last row: bound the column by "
            f"{matrix.column_sign} before you read or write, also in the last, partial tile."
        )
    rows = (beyond + 1) // width
    far = "a row" if rows == 1 else f"{rows} rows"
    return f"{size}, and this is {far} too far: bound the row by {matrix.row_sign} before you read or write."
