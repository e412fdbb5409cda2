"""Findings and launches as the emulator writes them (WARPGRADE_FINDINGS, WARPGRADE_COUNTERS), as records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from ..build import diagnostics
from ..core.errors import GraderError
from ..core.serialize import from_data
from ..records import Finding, Launch, Submission

T = TypeVar("T")
_AGAIN = "/again"  # ends the label of a case's second launch (grader/harness/program/session.cpp)


def is_count(row: Mapping[str, Any]) -> bool:
    """Whether the line of WARPGRADE_FINDINGS is not a finding but a count: of repetitions of an earlier
    finding, or of suppressed findings."""
    return "repeated" in row or "suppressed" in row


def finding_of(row: dict[str, Any], submission: Submission) -> Finding:
    """One line of WARPGRADE_FINDINGS."""
    other = row.get("other")
    memory = row.get("memory")
    standing = [_place_row(entry, submission) for entry in row.get("standing") or ()]
    return shaped(
        Finding,
        row
        | {
            "label": str(row["label"]).removesuffix(_AGAIN),
            "place": _place_row(row, submission),
            "other": _place_row(other, submission) if other else None,
            "memory": {key: value for key, value in memory.items() if value is not None} if memory else None,
            "standing": standing,
        }
        | {side: _place_row(row[side], submission) for side in ("writer", "left") if row.get(side)},
    )


def _place_row(row: Mapping[str, Any], submission: Submission) -> dict[str, Any]:
    """The row without the sandbox's folders in file names, and with the source line: the emulator cannot read
    the source in the sandbox.
    """
    file = _file_name(row.get("file") or "")
    line = int(row.get("line") or 0)
    source = diagnostics.source_line({file: submission.source(file) or ""}, file, line)
    source = source or str(row.get("source") or "")
    inlined = _file_name(row.get("inlined_at") or "")
    return {**row, "file": file, "line": line, "source": source, "inlined_at": inlined}


def _file_name(path: str) -> str:
    """Without folders. pathlib takes half of the time of reading a launch, which has dozens of paths."""
    return path.rpartition("/")[2]


def launch_of(row: dict[str, Any]) -> Launch:
    """One line of WARPGRADE_COUNTERS."""
    sites = [site | {"file": _file_name(site.get("file") or "")} for site in row.get("sites") or ()]
    return shaped(Launch, row | {"sites": sites})


def shaped(kind: type[T], row: Mapping[str, Any]) -> T:
    """The row as a record. GraderError where it has another shape."""
    try:
        return from_data(kind, dict(row))
    except (TypeError, KeyError, ValueError) as error:
        raise GraderError(f"the harness wrote no proper {kind.__name__}: {error}") from None
