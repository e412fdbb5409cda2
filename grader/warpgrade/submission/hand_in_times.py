"""When people handed in, from a sheet: Canvas's and Moodle's downloads do not say it.

Moodle's grading worksheet has the times. Any other CSV will do whose first columns name the people, and
whose column `submitted` holds times such as 2026-10-02T23:59.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ..core import handwritten
from ..core.errors import InstructorError, UsageError
from .admit import SubmissionEntry
from .downloads import Download
from .roster import folded

# Headings of Moodle's worksheet, folded.
_HEADINGS = ("submitted", "last modified (submission)", "zuletzt geändert (abgabe)")
_PEOPLE = 3  # columns: Moodle's number, name and e-mail address
# Friday, 2 October 2026, 11:58 PM · Freitag, 2. Oktober 2026, 23:58
_IN_WORDS = re.compile(
    r"(?<!\d)(\d{1,2})\.? +([^\W\d_]{3,12}) +(\d{4}),? +(\d{1,2}):(\d\d)(?: *([AP])M)?", re.IGNORECASE
)
_MONTH_NAMES = "jan feb mar|mär|mrz apr may|mai jun jul aug sep oct|okt nov dec|dez"
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split(), 1) for name in names.split("|")}


def added(download: Download, file: Path) -> Download:
    """The download with the sheet's times where it has none. InstructorError with the line of a wrong one."""
    times = _times(file)
    timed = [entry if entry.is_shared else _with_time(entry, times) for entry in download.entries]
    uploads = {(entry.path, entry.key): entry for entry in timed if not entry.is_shared}
    entries = (
        _as_handed_in(entry, uploads[entry.path, entry.key]) if entry.is_shared else entry for entry in timed
    )
    return replace(download, entries=tuple(entries))


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


def _times(file: Path) -> dict[str, list[str]]:
    """The times by each name of a person."""
    try:
        text = handwritten.text(file, "save it as CSV in UTF-8")
    except FileNotFoundError:
        raise UsageError("is missing", file=file, remedy="name the list of times, a CSV file") from None
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count))
    found: dict[str, list[str]] = {}
    try:
        head = [folded(name) for name in next(reader, [])]
        at = next((head.index(name) for name in _HEADINGS if name in head), None)
        if at is None:
            remedy = "its first line has the heading `submitted`, or it is Moodle's grading worksheet"
            raise InstructorError("has no column with times", file=file, line=1, remedy=remedy)
        for row in reader:
            time = _time(row[at].strip(), file, reader.line_num) if len(row) > at else ""
            for name in set(_names(row, at)) if time else ():
                found.setdefault(name, []).append(time)
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
