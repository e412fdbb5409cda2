"""`warpgrade regrade`: grade saved submissions again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...core.paths import here
from .. import class_output
from ..command_groups import StaffCommand
from ..console import screen
from ..error_reports import EXIT_CODES
from ..parameters import File, jobs_option, machine_options

if TYPE_CHECKING:
    from rich.table import Table

    from ...grading.regrade import Change


@click.command(cls=StaffCommand, position=2, resumable=True, epilog=EXIT_CODES)
@click.option("--out", type=File(), help="default: build/grades")
@click.option("--policy", "rules", type=File(), help="default: policy.toml")
@machine_options
@jobs_option("submissions graded in parallel; default: one per core")
@click.option("--accept", is_flag=True, help="write the new grades; without it nothing changes")
def command(
    out: Path | None, rules: Path | None, device: str, sandbox: str, gpu_model: str, jobs: int, accept: bool
) -> int:
    """Grade the saved submissions again, and show what changed.

    Use it after a change of a lab or of the grader.
    """
    from ...course import lab
    from ...grading import batch, regrade, saved_grades
    from ...grading.session import Options, prepare

    repository = here()
    out = out or repository.grades
    old = saved_grades.load(out)
    place = regrade.start(out)
    labs = tuple(lab.named(repository, item.name) for item in old.labs)
    with class_output.stoppable():
        session = prepare(repository, labs, Options(device, sandbox, gpu_model, jobs, fresh=True))
        with class_output.progress_bar() as report:
            new = batch.grade_again(
                old, out, place, session, report, class_output.adjustment(repository, rules)
            )
        class_output.write(new, place)
    console = screen() if screen().is_terminal else screen(class_output.WIDE)
    found = regrade.changes(old, new)
    console.print(_changes_table(found) if found else "nothing changed")
    class_output.show_withheld(new, console)
    if accept:
        kept = regrade.accept(out)
        console.print(f"written to {out}; the previous grades are in {kept}", markup=False, soft_wrap=True)
    elif found:
        console.print("nothing is written yet; add --accept to write the new grades")
    return class_output.exit_code(new)


def _changes_table(found: Sequence[Change]) -> Table:
    """The changes: a row for each student's lab, and below it the rows that explain it."""
    from rich.table import Table
    from rich.text import Text

    from ...report import terminal

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("student", "lab", "what", "before", "after"):
        table.add_column(heading, no_wrap=True)
    table.add_column("reason", overflow="fold")
    for change in found:
        whole = change.what == "total"
        cells = (change.student if whole else "", change.lab if whole else "", change.what, change.before,
                 change.after, terminal.plain(change.reason))  # fmt: skip
        table.add_row(*map(Text, cells), style="bold" if whole else "")
    return table
