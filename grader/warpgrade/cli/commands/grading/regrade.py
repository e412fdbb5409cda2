"""`warpgrade regrade`: grade saved submissions again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core.paths import here
from ... import class_output
from ...command_groups import ListedCommand
from ...console import near, screen
from ...error_reports import EXIT_CODES
from ...executor_options import executor_options
from ...parameters import File, MachineOptions, jobs_option, machine_options

if TYPE_CHECKING:
    from ....grading.executors import Executor
    from ....records import Grades


@click.command(cls=ListedCommand, position=2, resumable=True, epilog=EXIT_CODES)
@click.option("--out", type=File(), help="default: build/grades")
@click.option("--policy", "rules", type=File(), help="default: policy.toml")
@machine_options
@jobs_option("submissions graded in parallel; default: one more than cores")
@click.option("--accept", is_flag=True, help="write the new grades; without it nothing changes")
@executor_options
def command(
    out: Path | None,
    rules: Path | None,
    machine: MachineOptions,
    jobs: int,
    accept: bool,
    executor: Callable[[], Executor],
) -> int:
    """Grade the saved submissions again, and show what changed.

    Use it after a change of a lab or of the grader.
    """
    from ....course import lab
    from ....grading import batch, by_hand, regrade, saved_grades
    from ....grading.session import Options, prepare

    repository = here()
    out = out or repository.grades
    old = saved_grades.load(out)
    place = regrade.start(out)
    labs = tuple(lab.named(repository, item.name) for item in old.labs)
    with class_output.stoppable():
        place_of_work = executor()
        options = place_of_work.adapted(Options(*machine, jobs, fresh=True))
        written = by_hand.find(repository, out, rules)
        with class_output.progress_bar() as report:
            session = prepare(repository, labs, options, report)
            new = batch.grade_again(old, out, place, session, report, written, place_of_work)
        class_output.write(new, place)
    differs = _show(old, new, place, out if accept else place)
    if accept:
        kept = regrade.accept(out, old)
        click.echo(f"written to {out}; the previous grades are in {kept}")
    elif differs:
        click.echo("nothing is written yet; add --accept to write the new grades")
    return class_output.exit_code(new)


def _show(old: Grades, new: Grades, place: Path, shown: Path) -> bool:
    """Whether anything changed. `place` gets the page of changes, which will lie in the folder `shown`."""
    from ....overview import changes
    from ....report import html

    console = screen() if screen().is_terminal else screen(class_output.WIDE)
    found = tuple(changes.changes(old, new))
    page = html.write_changes(new, found, changes.summaries(old, new), place)
    if found:
        class_output.show_changes(old, new)
        where = near(shown / page.name)
        console.print(f"every change and its reason: {where}", markup=False, soft_wrap=True)
    else:
        console.print("nothing changed")
    class_output.show_withheld(new, console)
    return bool(found)
