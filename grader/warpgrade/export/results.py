"""Grades for other programs: results.json and gradebook.csv. The same grades give the same bytes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..core import formatting, store
from ..core.serialize import dumps
from ..judge.score import class_total
from ..records import ADDED_PARTS, Build, Grades, Lab, LabKind, Part, Problem, Result, Student, Submission

FORMAT = 2
# A spreadsheet computes a cell that begins with one of these signs.
_RISKY = re.compile(r"(^[\s\ufeff]*|[;,\t|][\s\ufeff]*)([=+\-@\t\r\n|\uff1d\uff0b\uff0d\uff20])")


def write(grades: Grades, out: Path, students: Iterable[Student] | None = None) -> list[Path]:
    """Write both files, each complete or not at all.

    `students` are those of `grades`: a caller that has more to do with each student, while what was saved
    of it is in memory, gives an iterator.
    """
    store.write_pieces(out / "results.json", pieces(grades, students))
    store.write_text(out / "gradebook.csv", gradebook(grades))
    return [out / "results.json", out / "gradebook.csv"]


# --- results.json ------------------------------------------------------------------------------


def results_json(grades: Grades) -> str:
    return "".join(pieces(grades))


def pieces(grades: Grades, students: Iterable[Student] | None = None) -> Iterator[str]:
    """Everything but sources, counters by line and what kernels printed. For staff: it names hidden cases.

    One line a student, so that two gradings can be compared line by line.
    """
    head = {
        "format": FORMAT,
        "setting": grades.setting,
        "labs": [{"name": lab.name, "title": lab.title, "hash": lab.hash} for lab in grades.labs],
        "notes": grades.notes,
    }
    yield f'{dumps(head).rstrip()[:-1]}, "students": [\n'
    for number, student in enumerate(grades.students if students is None else students):
        yield (",\n" if number else "") + dumps(_student(student)).rstrip("\n")
    yield "\n]}\n"


def _student(student: Student) -> dict[str, Any]:
    return {
        **_fields(student, "id", "name", "entry", "problem", "notes", "section", "group", "grader"),
        **({"unread": student.unread} if student.unread else {}),
        "results": list(map(_result, student.results)),
        "earlier": list(map(_attempt, student.earlier)),
    }


def _attempt(result: Result) -> dict[str, Any]:
    return _fields(
        result,
        "lab",
        "attempt",
        "submitted",
        "late",
        "request",
        "answer",
        "remarks",
        "status",
        "problem",
        "score",
        "origin",
    )


def _result(result: Result) -> dict[str, Any]:
    row = {**_attempt(result), "judgement": result.judgement}
    row["submission"] = _submission(result.submission)
    row["build"] = _build(result.build)
    run = result.run
    if run is not None:
        row["run"] = _fields(
            run, "device", "device_name", "launch_shape", "cases", "device_cases", "findings", "notes"
        )
        row["run"]["timings"] = run.timings
        row["run"]["counters"] = {launch.label: launch.counters for launch in run.launches}
    return row


def _build(build: Build | None) -> dict[str, Any] | None:
    """The build, with counts of instructions and further kernels only where the lab has some."""
    if build is None:
        return None
    names, optional = [field.name for field in fields(build)], ("others", "instructions", "other_resources")
    return _fields(build, *(name for name in names if name not in optional or getattr(build, name)))


def _submission(submission: Submission | None) -> dict[str, Any] | None:
    if submission is None:
        return None
    return {
        **_fields(submission, "entry", "hash", "notes", "unused"),
        "files": [file.name for file in submission.files],
    }


def _fields(record: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names}


# --- gradebook.csv -----------------------------------------------------------------------------


def gradebook(grades: Grades) -> str:
    """One row for each student, one column of points for each lab; empty if none were given (see remarks)."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    labs = [lab.name for lab in grades.labs]
    writer.writerow(["student", "name", *labs, "total", "remarks"])
    for student in grades.students:
        writer.writerow([safe(cell) for cell in _row(student, grades.labs)])
    return stream.getvalue()


def _row(student: Student, labs: tuple[Lab, ...]) -> list[str]:
    by_lab = {result.lab: result for result in student.results}
    totals = [_total(by_lab.get(lab.name)) for lab in labs]
    points = ["" if total is None else formatting.points(total) for total in (*totals, class_total(totals))]
    return [student.id, student.name, *points, "; ".join(_remarks(student, by_lab, labs))]


def _total(result: Result | None) -> float | None:
    return result.score.total if result and result.score else None


def _remarks(student: Student, by_lab: dict[str, Result], labs: tuple[Lab, ...]) -> list[str]:
    if student.problem:
        return [_short(student.problem)]
    unread = student.unread or ()
    remarks = list(map(str, unread))
    for lab in labs:
        result = by_lab.get(lab.name)
        if result is None and any(each.lab == lab.name for each in unread):
            continue
        if result is None:
            remarks.append(f"{lab.name}: not handed in")
        elif result.status != "graded":
            remarks.append(f"{lab.name}: {result.status}: {_short(result.problem)}")
        elif result.build_failed and lab.kind is LabKind.ANSWERS and result.build:
            remarks.append(f"{lab.name}: {result.build.summary}")
        remarks += added_points(result) if result else []
    return remarks


def added_points(result: Result) -> list[str]:
    """The parts that a finding, a review or the policy added, so that the points add up."""
    added = [part for part in (result.score.parts if result.score else ()) if part.kind in ADDED_PARTS]
    return [f"{result.lab}: {_added(part)}" for part in added]


def _added(part: Part) -> str:
    """ "plus 2 (comment: Well named.)"; without points where there are none."""
    why = f"{part.name}: {part.sentence}"
    return f"{'plus ' * (part.earned > 0)}{formatting.points(part.earned)} ({why})" if part.earned else why


def _short(problem: Problem | None) -> str:
    return problem.message if problem else ""


def safe(cell: str) -> str:
    """The cell with an apostrophe where a spreadsheet would take its text for a formula.

    Some programs also split cells at other separators than a comma, and accept wide forms of the signs.
    """
    return _RISKY.sub(r"\1'\2", cell)
