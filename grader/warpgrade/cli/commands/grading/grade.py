"""`warpgrade grade`: grade a class."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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
from ...parameters import File, LabName, MachineOptions, jobs_option, machine_options

if TYPE_CHECKING:
    from ....grading.by_hand import ByHand
    from ....grading.executors import Executor
    from ....grading.session import Options
    from ....records import Grades, Lab, Problem
    from ....submission.downloads import Download
    from ....submission.roster import People

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
@jobs_option("submissions graded in parallel; default: one more than cores")
@click.option("--out", type=File(), help="default: build/grades")
@click.option("--sanitizer", is_flag=True, help="on a GPU: also run compute-sanitizer")
@click.option("--json", "as_json", is_flag=True, help="print results.json instead of a table")
@click.option("--timings", is_flag=True, help="show how long each stage took")
@executor_options
def command(
    submissions: Path | None, names: tuple[str, ...], source: str, rules: Path | None, roster: Path | None,
    times: Path | None, machine: MachineOptions, jobs: int, out: Path | None, sanitizer: bool, as_json: bool,
    timings: bool, executor: Callable[[], Executor],
) -> int:  # fmt: skip
    """Grade a class.

    What the output folder holds of other labs, students and attempts is kept.

    SUBMISSIONS: a download from Canvas, Moodle, Blackboard or Gradescope, as a folder or an archive, or a
    folder with one entry for each student (a folder, .zip, .tar.gz or .cu). Default: the sample class.

    After an interruption, the same command continues where it was.
    """
    from ....course import lab
    from ....grading import by_hand, saved_grades
    from ....grading.listed import listed
    from ....grading.session import Options

    begun = time.monotonic()
    repository = here()
    out = out or repository.grades
    labs = tuple(lab.named(repository, name) for name in names) or lab.find(repository)
    sample = repository.root / "grader" / "tests" / "fixtures" / "submissions" / "class"
    folder = submissions or sample
    options = Options(
        machine.device, _sandbox_for(folder, sample, machine.sandbox), machine.gpu_model, jobs,
        sanitizer=sanitizer, fresh=True, leaves_out=not names,
    )  # fmt: skip
    class_output.need_outside(out, folder)
    written = by_hand.find(repository, out, rules)
    known, people = saved_grades.known(out), _people(roster, out)
    old = listed(known, people) if known else None
    with class_output.stoppable():
        hand_ins = HandIns(folder, source, people, times)
        grades, left_out = _graded(hand_ins, labs, out, options, written, executor)
        class_output.write(grades, out)
    class_output.show_doubts(written, grades)
    _show_secret(labs if submissions else (), old, grades)
    _show(old, grades, out, as_json)
    class_output.show_left_out(left_out)
    if timings:
        _show_timings(time.monotonic() - begun, grades)
    return class_output.exit_code(grades, left_out)


@dataclass(frozen=True)
class HandIns:
    """A class's submissions, and the files that say whose they are and when they came."""

    folder: Path
    source: str
    people: People | None
    times: Path | None

    @contextmanager
    def opened(self, sandbox: str) -> Iterator[Download]:
        from ....submission import downloads, hand_in_times

        with downloads.opened(self.folder, here(), sandbox) as place:
            download = downloads.read(place, self.source, self.people)
            yield hand_in_times.added(download, self.times) if self.times else download


def _people(roster: Path | None, out: Path) -> People | None:
    """The class's roster, None where nobody wrote one. A file that is named must be there."""
    from ....grading import by_hand
    from ....submission.roster import load

    listed = roster or by_hand.place(here(), out, by_hand.ROSTER)
    return load(listed) if roster or handwritten.is_there(listed) else None


def _graded(
    hand_ins: HandIns, labs: Sequence[Lab], out: Path, options: Options, written: ByHand,
    executor: Callable[[], Executor],
) -> tuple[Grades, Sequence[Problem]]:  # fmt: skip
    """The grades, and what is wrong with labs that were left out.

    A function of its own, since the entries of a large class take memory that the pages need.
    """
    from ....grading import batch
    from ....grading.session import prepare

    with hand_ins.opened(options.sandbox) as download:
        place_of_work = executor()
        with class_output.progress_bar() as report:
            session = prepare(here(), labs, place_of_work.adapted(options), report)
            grades = batch.grade_class(download, out, session, report, written, place_of_work)
            return grades, session.left_out


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


def _show_secret(labs: Sequence[Lab], old: Grades | None, grades: Grades) -> None:
    """`labs`: none for the sample class, which has nothing to hide."""
    if labs:
        class_output.show_missing_secret(here(), labs)
        class_output.show_other_secret(old, grades)


def _show(old: Grades | None, grades: Grades, out: Path, as_json: bool) -> None:
    if not as_json:
        class_output.show(grades, out)
        class_output.show_changes(old, grades)
        return
    with (out / "results.json").open(encoding="utf-8") as stream:
        for line in stream:
            click.echo(line, nl=False)


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
