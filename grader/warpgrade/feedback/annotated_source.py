"""Lines of a student's source, annotated with findings and costs."""

from dataclasses import dataclass

from ..build.diagnostics import LONGEST_LINE, lines_of
from ..core import formatting
from ..records import Finding, Launch, Result, Submission
from . import comparisons

CONTEXT = 3  # lines shown above and below
MOST_LINES = 5_000  # of a listing: a file of a million empty lines would make a page of 50 megabytes


@dataclass(frozen=True)
class CodeLine:
    number: int
    text: str
    marked: bool
    notes: tuple[comparisons.Note, ...] = ()


def around(submission: Submission | None, file: str, line: int, fallback: str) -> tuple[CodeLine, ...]:
    """The student's lines around one line; that line alone where the file is not the student's."""
    text = submission.source(formatting.base_name(file)) if submission and file else None
    if text is None or not line:
        return (CodeLine(line, fallback, True),) if fallback else ()
    lines = lines_of(text)
    first, last = max(1, line - CONTEXT), min(len(lines), line + CONTEXT)
    return tuple(CodeLine(at, lines[at - 1][:LONGEST_LINE], at == line) for at in range(first, last + 1))


def marked_source(
    result: Result, findings: tuple[Finding, ...], launch: Launch | None
) -> tuple[CodeLine, ...]:
    """The kernel's lines with the findings and the costs of memory accesses.

    A very long file is cut: its beginning stays, and the lines around those with a finding or a cost.
    """
    if result.submission is None or not result.submission.files:
        return ()
    file = result.submission.files[0]
    lines = file.text.removesuffix("\n").split("\n")
    costs = comparisons.notes_by_line(launch, file.name)
    codes: dict[int, list[comparisons.Note]] = {}
    for finding in findings:
        for side in (finding.place, finding.other):
            if side and formatting.base_name(side.file) == file.name:
                codes.setdefault(side.line, []).append(comparisons.Note(finding.code, "code"))
    marked = {item.line for item in (result.build.diagnostics if result.build else ()) if item.line}
    marked |= codes.keys()
    shown = set(range(1, min(len(lines), MOST_LINES) + 1))
    for line in (*marked, *list(costs)[:MOST_LINES]):
        shown.update(range(max(1, line - CONTEXT), min(len(lines), line + CONTEXT) + 1))
    return tuple(
        CodeLine(at, lines[at - 1], at in marked, (*dict.fromkeys(codes.get(at, ())), *costs.get(at, ())))
        for at in sorted(shown)
    )
