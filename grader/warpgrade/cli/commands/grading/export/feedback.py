"""`warpgrade export feedback`: students' pages for Moodle, Canvas or mail."""

from __future__ import annotations

import csv
from pathlib import Path

import click

from .....core import handwritten
from .....core.errors import UsageError
from .....core.paths import here
from ....command_groups import ListedCommand
from ....error_reports import EXIT_CODES
from ....parameters import File, LabName


@click.command(cls=ListedCommand, position=8, epilog=EXIT_CODES)
@click.argument("system", type=click.Choice(("moodle", "canvas", "mail")))
@click.argument("name", metavar="LAB", type=LabName())
@click.option("--grades", type=File(), help="the term's folder; default: build/grades")
@click.option("--roster", type=File(), help="for mail: its columns are added; default: roster.csv")
@click.option("--out", type=File(), help="default: feedback-SYSTEM-LAB.zip or .csv in the term's folder")
def command(system: str, name: str, grades: Path | None, roster: Path | None, out: Path | None) -> int:
    """Write each student's page of one lab for a course system.

    moodle: the zip that Moodle takes back ("Upload multiple feedback files in a zip"). canvas: the zip for
    "Upload Submissions". mail: a CSV for mail merge, with points, next step, remarks, the roster's columns.
    """
    from .....core import store
    from .....course import lab
    from .....export import feedback_files
    from .....grading import by_hand, saved_grades

    repository = here()
    chosen = lab.named(repository, name)
    folder = grades or repository.grades
    saved = saved_grades.load(folder)
    ending = "csv" if system == "mail" else "zip"
    path = out or folder / f"feedback-{system}-{chosen.name}.{ending}"
    if system == "mail":
        listed = roster or by_hand.place(repository, folder, by_hand.ROSTER)
        people = _columns(listed) if roster or handwritten.is_there(listed) else {}
        store.write_text(path, feedback_files.mail_merge(saved, chosen, people))
        click.echo(f"wrote {path}")
        return 0
    made = (feedback_files.moodle if system == "moodle" else feedback_files.canvas)(saved, chosen)
    if not made.written:
        raise UsageError(
            f"holds no hand-in that was downloaded from {system.title()}",
            file=folder,
            remedy="grade the folder as it was downloaded, with its names",
        )
    store.write_bytes(path, made.content)
    click.echo(f"wrote {path}: {made.written} pages")
    if made.nameless:
        click.echo(f"without a file of their own from {system.title()}: {', '.join(made.nameless)}")
    return 0


def _columns(file: Path) -> dict[str, dict[str, str]]:
    """The roster's further columns by the student's id in the results."""
    from .....submission import admit, roster

    roster.load(file)  # names what is wrong with it
    text = file.read_text(encoding="utf-8-sig")
    first = text.split("\n", 1)[0]
    rows = csv.DictReader(text.splitlines(), delimiter=max(",;\t", key=first.count))
    return {
        admit.identity((row.get("student") or "").strip()): {
            key: (value or "").strip() for key, value in row.items() if key and key not in ("student", "name")
        }
        for row in rows
    }
