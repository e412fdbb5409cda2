"""`warpgrade export …`: results for other programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..core.errors import SubmissionError, UsageError, WarpgradeError
from ..core.paths import here
from ..sandbox.bubblewrap import KINDS
from .console import EXIT_CODES, File, LabName, aside, told

if TYPE_CHECKING:
    from ..records import Grades, Lab, Result, Submission


@click.group()
def export() -> None:
    """Results for Gradescope, Canvas, Moodle and others."""


# --- one result --------------------------------------------------------------------------------

_FORMATS = ("gradescope", "autolab", "junit", "ctrf")


def _text(format: str, lab: Lab, result: Result, student: str) -> str:
    from ..export import formats, gradescope

    if format == "gradescope":
        return gradescope.results_json(lab, result)
    if format == "autolab":
        return formats.autolab(lab, result) + "\n"
    return formats.junit(lab, result, student) if format == "junit" else formats.ctrf(lab, result)


def _one(format: str) -> click.Command:
    @click.command(format, epilog=EXIT_CODES)
    @click.argument("name", metavar="LAB", type=LabName())
    @click.argument("file", required=False, type=File())
    @click.option("--student", default="", help="take the saved result of this student; FILE is not needed")
    @click.option("--grades", type=File(), help="saved results; default: build/grades")
    @click.option("--out", type=File(), help="default: standard output")
    @click.option("--sandbox", "walls", type=click.Choice(KINDS), default="bwrap")
    @told
    def command(
        name: str, file: Path | None, student: str, grades: Path | None, out: Path | None, walls: str
    ) -> int:
        from ..course import lab

        repository = here()
        chosen = lab.named(repository, name)
        if student:
            result = _saved(grades or repository.grades, student, name)
        else:
            result = _graded(chosen, file or repository.labs / name / chosen.files[0], walls)
        _write(_text(format, chosen, result, student), out)
        return 0

    command.help = {
        "gradescope": "results.json for one kernel.\n\nFILE may be a folder, as /autograder/submission is.",
        "autolab": "Autolab's line: points by problem.",
        "junit": "JUnit XML, for continuous integration.",
        "ctrf": "Common Test Report Format, JSON.",
    }[format]
    return command


for _format in _FORMATS:
    export.add_command(_one(_format))


def _saved(folder: Path, student: str, name: str) -> Result:
    from ..grading import batch

    grades = batch.reload(folder)
    found = next((each for each in grades.students if each.id == student), None)
    if found is None:
        raise UsageError(f"holds no student {student!r}", file=folder, remedy="look at results.json for ids")
    result = next((each for each in batch.whole(found, folder).results if each.lab == name), None)
    if result is None:
        raise UsageError(f"{student} handed in nothing for {name}", file=folder)
    return result


def _graded(lab: Lab, path: Path, walls: str) -> Result:
    """Grade one file, or the folder in which it was handed in."""
    import tempfile

    from ..grading import batch, session
    from ..judge import score
    from ..sandbox import process
    from ..submission import admit

    repository = here()
    trouble = process.why_unavailable(walls)
    if trouble:
        aside().print(f"note: without a sandbox, as {trouble}", markup=False)
    wish = session.Wish("emulator", "none" if trouble else walls, fresh=True)
    shop = session.prepare(repository, [lab], wish)
    shop = replace(shop, bench=replace(shop.bench, threads=0))
    try:
        handed = _from_folder(path, lab) if path.is_dir() else admit.from_file(path, lab, "you")
    except SubmissionError as error:
        from ..records import Result

        return Result(lab.name, "refused", score=score.nothing(lab, error.message), problem=error.problem())
    with tempfile.TemporaryDirectory() as folder:
        return batch.grade_one(handed, shop.places[0], Path(folder), shop)


def _from_folder(path: Path, lab: Lab) -> Submission:
    from ..records import Problem
    from ..submission import admit

    entry = admit.SubmissionEntry("you", "you", path)
    contents = admit.read(entry)
    if isinstance(contents, Problem):
        raise SubmissionError(contents.message, file=path, remedy=contents.remedy)
    found = admit.admit(entry, contents, lab, only_lab=True)
    if found is None:
        raise admit.nothing_fits(entry, contents, [lab])
    return found


def _write(text: str, out: Path | None) -> None:
    from ..core import store

    if out is None:
        click.echo(text, nl=False)
    else:
        store.write_text(out, text)
        click.echo(f"wrote {out}", err=True)


# --- Gradescope's autograder -------------------------------------------------------------------


@export.command("gradescope-zip")
@click.argument("name", metavar="LAB", type=LabName())
@click.option("--out", type=File(), help="default: build/exports/gradescope-LAB.zip")
@told
def gradescope_zip(name: str, out: Path | None) -> int:
    """The autograder to upload to Gradescope.

    setup.sh, run_autograder and all that they need.
    """
    from ..core import store
    from ..course import lab
    from ..export import gradescope

    repository = here()
    path = out or repository.output / "exports" / f"gradescope-{name}.zip"
    content = gradescope.autograder(repository, lab.named(repository, name))
    store.write_bytes(path, content)
    click.echo(f"wrote {path} ({len(content) / 1e6:.1f} MB); it holds the solution: for staff only")
    return 0


# --- sheets ------------------------------------------------------------------------------------


def _sheet(kind: str) -> click.Command:
    @click.command(kind, epilog=EXIT_CODES)
    @click.argument("sheet", type=File())
    @click.argument("name", metavar="LAB", type=LabName())
    @click.option("--column", default="", help="heading of the column for the points")
    @click.option("--feedback", default="", help="heading of the column for feedback (Moodle)")
    @click.option("--grades", type=File(), help="saved results; default: build/grades")
    @click.option("--out", type=File(), help="default: SHEET-filled.csv")
    @told
    def command(
        sheet: Path, name: str, column: str, feedback: str, grades: Path | None, out: Path | None
    ) -> int:
        from ..core import store
        from ..course import lab
        from ..export import lms_sheets
        from ..grading import batch

        repository = here()
        chosen = lab.named(repository, name)
        everyone: Grades = batch.reload(grades or repository.grades)
        text = _read(sheet)
        try:
            if kind == "canvas":
                filled = lms_sheets.canvas(text, everyone, chosen, column)
            else:
                filled = lms_sheets.moodle(text, everyone, chosen, column, feedback)
        except WarpgradeError as error:
            raise UsageError(error.message, file=sheet, remedy=error.remedy) from None
        path = out or sheet.with_name(f"{sheet.stem}-filled.csv")
        store.write_text(path, filled.text)
        click.echo(f"wrote {path}: {filled.filled} of {len(everyone.students)} students")
        for word, names in (("no result for", filled.strangers), ("not in the sheet", filled.missing)):
            if names:
                click.echo(f"{word}: {', '.join(names)}")
        return 0

    command.help = f"Fill one lab's points into {kind.title()}'s sheet.\n\nSHEET: as it was downloaded."
    return command


for _kind in ("canvas", "moodle"):
    export.add_command(_sheet(_kind))


def _read(sheet: Path) -> str:
    try:
        with sheet.open(encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", file=sheet) from None
    except UnicodeDecodeError:
        raise UsageError("is not UTF-8", file=sheet, remedy="download it as CSV") from None
