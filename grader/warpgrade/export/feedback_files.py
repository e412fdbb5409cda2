"""Each student's page of one lab, in the form that a course system or a mail program takes.

Moodle and Canvas find the student by the name of the file that was downloaded, so each page gets the name of
its hand-in with another ending. The same grades give the same bytes.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..core.formatting import points
from ..feedback.student_lab import next_step
from ..records import Grades, Lab, Result, Student
from ..report import html
from .results import added_points, safe

_STAMP = (1980, 1, 1, 0, 0, 0)  # the least that a zip can hold
_PAGE = "feedback.html"
_MOODLE = re.compile(r"^([^/]{1,400}_\d{1,20}_assignsubmission_file_?)(?:[^/]*)$")
_CANVAS = re.compile(r"^([^/]{1,400}?_(?:LATE_)?\d{1,20}_\d{1,20}_)[^/]*$")


@dataclass(frozen=True)
class FeedbackZip:
    content: bytes
    written: int
    # Whose hand-in has no name of that system, or that of another member of the group.
    nameless: tuple[str, ...]


def moodle(grades: Grades, lab: Lab) -> FeedbackZip:
    """The zip for "Upload multiple feedback files in a zip"."""

    def name(entry: str) -> str:
        match = _MOODLE.match(entry)
        if match is None:
            return ""
        own = match[1].rstrip("_") + "_"
        return f"{own}/{_PAGE}" if entry in (match[1], own, own[:-1]) else f"{own}{_PAGE}"

    return _zipped(grades, lab, name)


def canvas(grades: Grades, lab: Lab) -> FeedbackZip:
    """The zip for "Upload Submissions": each page becomes a file in a comment."""

    def name(entry: str) -> str:
        match = _CANVAS.match(entry)
        return f"{match[1]}{_PAGE}" if match else ""

    return _zipped(grades, lab, name)


def mail_merge(grades: Grades, lab: Lab, people: Mapping[str, Mapping[str, str]]) -> str:
    """A CSV with one row for each student who handed in. `people`: further columns by student's id."""
    more = list(dict.fromkeys(column for row in people.values() for column in row))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["student", "name", "lab", "points", "possible", "next_step", "remarks", "page", *more])
    for student, result in _handed_in(grades, lab):
        total = result.score.total if result.score else None
        possible = points(result.score.possible) if result.score else ""
        plain = (remark.text for remark in result.remarks if not remark.points and not remark.item)
        said = "; ".join((*plain, *added_points(result)))
        row = [student.id, student.name, lab.title, "" if total is None else points(total), possible,
               next_step(lab, result), " ".join(filter(None, (result.answer, said))),
               f"students/{student.id}.html"]  # fmt: skip
        row += [people.get(student.id, {}).get(column, "") for column in more]
        writer.writerow([safe(cell) for cell in row])
    return stream.getvalue()


def _handed_in(grades: Grades, lab: Lab) -> Iterator[tuple[Student, Result]]:
    for student in grades.students:
        result = next((each for each in student.results if each.lab == lab.name), None)
        if result is not None:
            yield student, result


def _zipped(grades: Grades, lab: Lab, name: Callable[[str], str]) -> FeedbackZip:
    stream, written, nameless = io.BytesIO(), 0, []
    with zipfile.ZipFile(stream, "w") as archive:
        for student, result in _handed_in(grades, lab):
            entry = result.submission.entry if result.submission else student.entry
            place = name(entry)
            if not place or place in archive.NameToInfo:
                nameless.append(student.id)
                continue
            page = html.student_page(replace(grades, labs=(lab,)), replace(student, results=(result,)))
            info = zipfile.ZipInfo(place, _STAMP)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, page)
            written += 1
    return FeedbackZip(stream.getvalue(), written, tuple(nameless))
