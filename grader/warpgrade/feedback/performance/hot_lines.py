"""The lines that the modelled time goes to, with their source."""

from __future__ import annotations

from dataclasses import dataclass

from ...core import formatting
from ...records import Result, Submission

_MOST = 4
_LEAST = 0.1  # share of the time below which a line is not worth a look


@dataclass(frozen=True)
class HotLine:
    line: int
    source: str
    share: float
    resource: str


def hot_lines(result: Result) -> tuple[HotLine, ...]:
    """The most expensive lines of the kernel's own files; none where nothing was timed."""
    verdict = result.judgement.performance if result.judgement else None
    rows = verdict.lines or () if verdict else ()
    found = (
        HotLine(row.line, _source(result.submission, row.file, row.line), row.share, row.resource)
        for row in rows
        if row.share >= _LEAST
    )
    return tuple(each for each in found if each.source)[:_MOST]


def _source(submission: Submission | None, file: str, line: int) -> str:
    text = submission.source(formatting.base_name(file)) if submission else None
    lines = text.split("\n") if text else []
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
