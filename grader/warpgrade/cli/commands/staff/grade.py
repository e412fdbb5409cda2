"""`warpgrade grade`: grade a class."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core import handwritten
from ....core.paths import here
from ... import class_output
from ...command_groups import ListedCommand
from ...console import aside
from ...error_reports import EXIT_CODES
from ...executor_options import executor_options
from ...parameters import File, LabName, jobs_option, machine_options

if TYPE_CHECKING:
    from ....grading.executors import Executor
    from ....records import Grades

_SOURCES = ("auto", "canvas", "moodle", "blackboard", "gradescope", "plain")


@click.command(cls=ListedCommand, position=1, resumable=True, epilog=EXIT_CODES)
@click.argument("submissions", required=False, type=File())
@click.option(
    "--lab", "names", multiple=True, type=LabName(), help="grade this lab only; may be given several times"
)
@click.option("--source", type=click.Choice(_SOURCES), default="auto", help="the course system it comes from")
@click.option("--policy", "rules", type=File(), help="due dates, late days; default: policy.toml")
@click.option("--roster", type=File(), help="CSV of the class; default: roster.csv")
@click.option("--times", type=File(), help="CSV with times of hand-ins, such as Moodle's grading worksheet")
@machine_options
@jobs_option("submissions graded in parallel; default: one per core")
@click.option("--out", type=File(), help="default: build/grades")
@click.option("--sanitizer", is_flag=True, help="on a GPU: also run compute-sanitizer")
@click.option("--json", "as_json", is_flag=True, help="print results.json instead of a table")
@click.option("--timings", is_flag=True, help="show how long each stage took")
@executor_options
def command(
    submissions: Path | None,
    names: tuple[str, ...],
    source: str,
    rules: Path | None,
    roster: Path | None,
    times: Path | None,
    device: str,
    sandbox: str,
    gpu_model: str,
    jobs: int,
    out: Path | None,
    sanitizer: bool,
    as_json: bool,
    timings: bool,
    executor: Callable[[], Executor],
) -> int:
    """Grade a class.

    What the output folder holds of other labs, students and attempts is kept.

    SUBMISSIONS: a download from Canvas, Moodle, Blackboard or Gradescope, as a folder or an archive, or a
    folder with one entry for each student (a folder, .zip, .tar.gz or .cu). Default: the sample class.

    After an interruption, the same command continues where it was.
    """
    from ....course import lab
    from ....grading import batch, by_hand, saved_grades
    from ....grading.session import Options, prepare
    from ....submission import downloads, hand_in_times
    from ....submission.roster import load as load_roster

    begun = time.monotonic()
    repository = here()
    out = out or repository.grades
    labs = tuple(lab.named(repository, name) for name in names) or lab.find(repository)
    sample = repository.root / "grader" / "tests" / "fixtures" / "submissions" / "class"
    folder = submissions or sample
    sandbox = _sandbox_for(folder, sample, sandbox)
    class_output.need_outside(out, folder)
    listed = roster or by_hand.place(repository, out, by_hand.ROSTER)
    everyone = load_roster(listed) if roster or handwritten.is_there(listed) else None
    written = by_hand.find(repository, out, rules)
    with class_output.stoppable(), downloads.opened(folder, repository, sandbox) as place:
        download = downloads.read(place, source, everyone)
        download = hand_in_times.added(download, times) if times else download
        options = Options(device, sandbox, gpu_model, jobs, sanitizer=sanitizer, fresh=True)
        old = saved_grades.known(out)
        place_of_work = executor()
        with class_output.progress_bar() as report:
            session = prepare(repository, labs, place_of_work.adapted(options), report)
            grades = batch.grade_class(download, out, session, report, written, place_of_work)
        del download  # the entries of a large class take memory that the pages need
        class_output.write(grades, out)
    class_output.show_doubts(written, grades)
    if as_json:
        with (out / "results.json").open(encoding="utf-8") as stream:
            for line in stream:
                click.echo(line, nl=False)
    else:
        class_output.show(grades, out)
        class_output.show_changes(old, grades)
    if timings:
        _show_timings(time.monotonic() - begun, grades)
    return class_output.exit_code(grades)


def _sandbox_for(folder: Path, sample: Path, wanted: str) -> str:
    """The backend. Nothing in the sample class is hostile, so it is graded where no sandbox works, too."""
    from ....sandbox import choice

    if wanted != choice.AUTO or folder.resolve() != sample.resolve():
        return choice.chosen(wanted)
    kind, trouble = choice.for_trusted_code(wanted)
    if trouble:
        note = f"the sample class is graded {choice.instead(kind, trouble)}"
        aside().print(f"note: {note}", markup=False, soft_wrap=True)
    return kind


def _show_timings(elapsed: float, grades: Grades) -> None:
    """Prints to standard error, because --json uses standard output."""
    from ....core.concurrency import profiling

    console = aside()
    count = sum(len(student.results) for student in grades.students)
    own, others = profiling.processor_seconds()
    console.print(f"\n{count:,} lab submissions in {elapsed:.1f} s: {count / elapsed:.2f} a second")
    console.print(f"processor time: {own:.1f} s here, at least {others:.1f} s in compilers and harnesses")
    for row in profiling.rows():
        each = 1000 * row.seconds / row.times
        console.print(f"  {row.what:<32} {row.times:>6,} × {each:>8.1f} ms = {row.seconds:>8.1f} s")
