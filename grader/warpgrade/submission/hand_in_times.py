"""When people handed in, from a sheet: Canvas's and Moodle's downloads do not say it.

Moodle's grading worksheet has the times. Any other CSV will do whose first columns name the people, and
whose column `submitted` holds times such as 2026-10-02T23:59.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ..core import handwritten
from ..core.errors import InstructorError, UsageError
from .admit import SubmissionEntry, printable
from .downloads import Download
from .roster import folded

# Headings of Moodle's worksheet, folded.
_HEADINGS = ("submitted", "last modified (submission)", "zuletzt geändert (abgabe)")
_SOME = 8  # rows that a note lists
_MOST_DAYS = 60  # between a time and most others
_PEOPLE = 3  # columns: Moodle's number, name and e-mail address
# Friday, 2 October 2026, 11:58 PM · Freitag, 2. Oktober 2026, 23:58
_IN_WORDS = re.compile(
    r"(?<!\d)(\d{1,2})\.? +([^\W\d_]{3,12}) +(\d{4}),? +(\d{1,2}):(\d\d)(?: *([AP])M)?", re.IGNORECASE
)
_MONTH_NAMES = "jan feb mar|mär|mrz apr may|mai jun jul aug sep oct|okt nov dec|dez"
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split(), 1) for name in names.split("|")}


@dataclass(frozen=True)
class _Row:
    """A row of the sheet that has a time."""

    line: int
    names: tuple[str, ...]
    time: str


def added(download: Download, file: Path) -> Download:
    """The download with the sheet's times where it has none, and notes on what may be wrong in the sheet.
    InstructorError with the line of a wrong time.
    """
    rows = _rows(file)
    times: dict[str, list[str]] = {}
    for row in rows:
        for name in set(row.names):
            times.setdefault(name, []).append(row.time)
    timed = [entry if entry.is_shared else _with_time(entry, times) for entry in download.entries]
    uploads = {(entry.path, entry.key): entry for entry in timed if not entry.is_shared}
    entries = (
        _as_handed_in(entry, uploads[entry.path, entry.key]) if entry.is_shared else entry for entry in timed
    )
    notes = (*download.notes, *_nobody(rows, download, file.name), *_far_from_others(timed))
    return replace(download, entries=tuple(entries), notes=notes)


def _nobody(rows: Sequence[_Row], download: Download, sheet: str) -> Iterator[str]:
    """A note on the rows of which no name is in the download or the roster."""
    known = set(download.people.known) if download.people else set()
    for entry in download.entries:
        known.update(map(folded, (*entry.ids, entry.name, entry.student)))
    nobody = [row for row in rows if known.isdisjoint(row.names)]
    if nobody:
        some = ", ".join(f"{printable(row.names[0])} in line {row.line}" for row in nobody[:_SOME])
        more = f" and {len(nobody) - _SOME} more" if len(nobody) > _SOME else ""
        yield f"{printable(sheet)}: nobody here is called {some}{more}; correct the names, if they handed in"


def _far_from_others(entries: Sequence[SubmissionEntry]) -> Iterator[str]:
    """A note on each time of the sheet that is months from most others. It counts all the same."""
    stated = [entry for entry in entries if entry.by_sheet]
    times = [datetime.fromisoformat(entry.submitted).replace(tzinfo=None) for entry in stated]
    usual = statistics.median_low(times) if times else datetime.min
    for entry, time in zip(stated, times, strict=True):
        days = (time - usual).days
        if abs(days) > _MOST_DAYS:
            where = f"{abs(days)} days {'after' if days > 0 else 'before'} most others"
            yield f"{entry.student}: handed in {entry.submitted}, {where}; correct the sheet if it is wrong"


def _as_handed_in(entry: SubmissionEntry, upload: SubmissionEntry) -> SubmissionEntry:
    """What another member of the group handed in has the time of that: the sheet has no other."""
    return replace(entry, submitted=upload.submitted, by_sheet=upload.by_sheet)


def _with_time(entry: SubmissionEntry, times: dict[str, list[str]]) -> SubmissionEntry:
    if entry.submitted:
        return entry
    for name in map(folded, (*entry.ids, entry.name, entry.student)):
        found = times.get(name, [])
        if len(found) == 1:  # a name that two rows have says nothing
            return replace(entry, submitted=found[0], by_sheet=True)
    return entry


def _rows(file: Path) -> list[_Row]:
    try:
        text = handwritten.text(file, "save it as CSV in UTF-8")
    except FileNotFoundError:
        raise UsageError("is missing", file=file, remedy="name the list of times, a CSV file") from None
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count))
    found: list[_Row] = []
    try:
        head = [folded(name) for name in next(reader, [])]
        at = next((head.index(name) for name in _HEADINGS if name in head), None)
        if at is None:
            remedy = "its first line has the heading `submitted`, or it is Moodle's grading worksheet"
            raise InstructorError("has no column with times", file=file, line=1, remedy=remedy)
        for row in reader:
            time = _time(row[at].strip(), file, reader.line_num) if len(row) > at else ""
            names = tuple(_names(row, at))
            if time and names:
                found.append(_Row(reader.line_num, names, time))
    except csv.Error as error:
        raise InstructorError(str(error), file=file, line=reader.line_num + 1) from None
    return found


def _names(row: Sequence[str], at: int) -> Iterator[str]:
    yield from (folded(cell) for column, cell in enumerate(row[:_PEOPLE]) if column != at and cell.strip())
    # Moodle's "Participant 123", whose number the names in the download have.
    digits = "".join(itertools.takewhile(str.isdecimal, reversed(row[0].rstrip())))[::-1]
    if digits and at:
        yield digits


def _time(words: str, file: Path, line: int) -> str:
    """The time in ISO 8601, without a zone if it has none; "" for no time."""
    if words in ("", "-"):
        return ""
    try:
        return datetime.fromisoformat(words).isoformat()
    except ValueError:
        pass
    match = _IN_WORDS.search(words)
    month = _MONTHS.get(match[2][:3].casefold()) if match else None
    try:
        if match and month:
            hour = int(match[4]) % 12 + 12 * (match[6].upper() == "P") if match[6] else int(match[4])
            return datetime(int(match[3]), month, int(match[1]), hour, int(match[5])).isoformat()
    except ValueError:
        pass
    remedy = "write it as 2026-10-02T23:59, in the zone of the due date"
    raise InstructorError(f"{words[:60]!r} is no time", file=file, line=line, remedy=remedy)
