"""Shared by the commands of `warpgrade export`: writing one result, and filling a course system's sheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..core.errors import SubmissionError, UsageError, WarpgradeError
from ..core.paths import here
from .command_groups import ListedCommand
from .console import aside
from .error_reports import EXIT_CODES
from .parameters import File, LabName, sandbox_option

if TYPE_CHECKING:
    from ..export.lms_sheets import Filled
    from ..records import Grades, Lab, Result, Submission


# --- one result --------------------------------------------------------------------------------


def result_command(text: Callable[[Lab, Result, str], str], position: int, help: str) -> ListedCommand:
    """A command that writes one student's result of one lab as `text(lab, result, student)`."""

    @click.command(cls=ListedCommand, position=position, epilog=EXIT_CODES, help=help)
    @click.argument("name", metavar="LAB", type=LabName())
    @click.argument("file", required=False, type=File())
    @click.option("--by", default="", help="who handed FILE in; default: the name in a sheet of answers")
    @click.option("--student", default="", help="export this student's saved result instead of grading FILE")
    @click.option("--grades", type=File(), help="saved results; default: build/grades")
    @click.option("--out", type=File(), help="default: standard output")
    @sandbox_option
    def command(
        name: str,
        file: Path | None,
        by: str,
        student: str,
        grades: Path | None,
        out: Path | None,
        sandbox: str,
    ) -> int:
        from ..course import lab

        repository = here()
        chosen = lab.named(repository, name)
        if student:
            result = _saved(grades or repository.grades, student, name)
        else:
            result = graded(chosen, file or repository.labs / name / chosen.files[0], by, sandbox)
        write(text(chosen, result, student), out)
        return 0

    return command


def _saved(folder: Path, student: str, name: str) -> Result:
    from ..grading import saved_grades

    grades = saved_grades.load(folder)
    found = next((each for each in grades.students if each.id == student), None)
    if found is None:
        raise UsageError(f"holds no student {student!r}", file=folder, remedy="look at results.json for ids")
    result = next((each for each in found.results if each.lab == name), None)
    if result is None:
        raise UsageError(f"{student} handed in nothing for {name}", file=folder)
    return result


def graded(lab: Lab, path: Path, by: str, sandbox: str) -> Result:
    """Grade one file, or a submission's folder. In a students' copy names of faults are not judged."""
    from ..answers import stages
    from ..core.scratch import scratch_folder
    from ..grading import pipeline
    from ..grading.session import Options, prepare
    from ..judge import score
    from ..sandbox import choice
    from ..submission import admit

    repository = here()
    sandbox, trouble = choice.for_trusted_code(sandbox)
    if trouble:
        aside().print(f"note: {choice.instead(sandbox, trouble)}", markup=False)
    options = Options("emulator", sandbox, fresh=True, practice=not repository.solution(lab.name).is_dir())
    session = prepare(repository, [lab], options)
    session = replace(session, runner=replace(session.runner, threads=0))
    try:
        if path.is_dir():
            handed = _from_folder(path, lab, session.setting.sandbox)
        else:
            handed = admit.from_file(path, lab, "you")
    except SubmissionError as error:
        from ..records import Result

        return Result(lab.name, "refused", score=score.nothing(lab, error.message), problem=error.problem())
    by_name = replace(handed, student=admit.identity(by)) if by else stages.named_by_its_sheet(handed, lab)
    with scratch_folder(repository) as folder:
        return pipeline.grade_one(by_name, session.prepared_labs[0], folder, session)


def _from_folder(path: Path, lab: Lab, sandbox: str) -> Submission:
    from ..records import Problem
    from ..submission import admit

    entry = admit.SubmissionEntry("you", "you", path)
    contents = admit.read(entry, sandbox)
    if isinstance(contents, Problem):
        raise SubmissionError(contents.message, file=path, remedy=contents.remedy)
    found = admit.admit(entry, contents, lab, only_lab=True)
    if found is None:
        raise admit.nothing_fits(entry, contents, [lab])
    return found


def write(text: str, out: Path | None) -> None:
    from ..core import store

    if out is None:
        click.echo(text, nl=False)
    else:
        store.write_text(out, text)
        click.echo(f"wrote {out}", err=True)


# --- sheets ------------------------------------------------------------------------------------

Fill = Callable[[str, "Grades", "Lab", str, str], "Filled"]


def sheet_command(fill: Fill, position: int, help: str) -> ListedCommand:
    """A command that fills a sheet: `fill(text, grades, lab, points column, feedback column)`."""

    @click.command(cls=ListedCommand, position=position, epilog=EXIT_CODES, help=help)
    @click.argument("sheet", type=File())
    @click.argument("name", metavar="LAB", type=LabName())
    @click.option("--column", default="", help="heading of the column for the points")
    @click.option("--feedback", default="", help="heading of the column for feedback (Moodle)")
    @click.option("--grades", type=File(), help="saved results; default: build/grades")
    @click.option("--out", type=File(), help="default: SHEET-filled.csv")
    def command(
        sheet: Path, name: str, column: str, feedback: str, grades: Path | None, out: Path | None
    ) -> int:
        from ..core import store
        from ..course import lab
        from ..grading import saved_grades

        repository = here()
        chosen = lab.named(repository, name)
        everyone: Grades = saved_grades.load(grades or repository.grades)
        text = _read(sheet)
        try:
            filled = fill(text, everyone, chosen, column, feedback)
        except WarpgradeError as error:
            raise UsageError(error.message, file=sheet, remedy=error.remedy) from None
        path = out or sheet.with_name(f"{sheet.stem}-filled.csv")
        store.write_text(path, filled.text)
        click.echo(f"wrote {path}: {filled.filled} of {len(everyone.students)} students")
        for word, names in (("no result for", filled.strangers), ("not in the sheet", filled.missing)):
            if names:
                click.echo(f"{word}: {_some(names)}")
        return 0

    return command


_MOST_NAMES = 20  # a sheet of one section lacks most of a class


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _read(sheet: Path) -> str:
    try:
        with sheet.open(encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except OSError as error:
        remedy = "name the file that the course's system exports"
        raise UsageError(f"cannot be read: {error.strerror}", file=sheet, remedy=remedy) from None
    except UnicodeDecodeError:
        raise UsageError("is not UTF-8", file=sheet, remedy="download it as CSV") from None
