"""The commands of a teaching assistant: grade, regrade, mutants, report."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.paths import Repository, here
from .console import EXIT_CODES, File, LabName, aside, machine_options, near, resumed, screen, told

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..grading import batch
    from ..grading.progress import Pace, Progress
    from ..grading.regrade import Change
    from ..records import Grades

_SOURCES = ("auto", "canvas", "moodle", "blackboard", "gradescope", "plain")
_WIDE = 140  # columns, where no terminal says otherwise
_OURS = 4
_TOLD_EVERY = 15.0  # seconds, where no terminal shows a bar
_MUTANTS_TOLD = 50  # mutants between two lines that say how far it got


@click.command(epilog=EXIT_CODES)
@click.argument("submissions", required=False, type=File())
@click.option(
    "--lab", "names", multiple=True, type=LabName(), help="grade this lab only; may be given several times"
)
@click.option("--source", type=click.Choice(_SOURCES), default="auto", help="where it was downloaded from")
@click.option("--policy", "rules", type=File(), help="due dates, late days; default: policy.toml")
@click.option("--roster", type=File(), help="CSV: student,name and other names of theirs")
@machine_options
@click.option(
    "--jobs", type=click.IntRange(0, 256), default=0, help="submissions at a time; default: one a core"
)
@click.option("--out", type=File(), help="default: build/grades")
@click.option("--sanitizer", is_flag=True, help="on a GPU: compute-sanitizer's opinion, beside ours")
@click.option("--json", "as_json", is_flag=True, help="print results.json instead of a table")
@click.option("--timings", is_flag=True, help="show where the time went")
@resumed
def grade(
    submissions: Path | None,
    names: tuple[str, ...],
    source: str,
    rules: Path | None,
    roster: Path | None,
    device: str,
    walls: str,
    gpu_model: str,
    jobs: int,
    out: Path | None,
    sanitizer: bool,
    as_json: bool,
    timings: bool,
) -> int:
    """Grade a class.

    SUBMISSIONS: a download from Canvas, Moodle, Blackboard or Gradescope, as a folder or an archive, or a
    folder with one entry for each student (a folder, .zip, .tar.gz or .cu). Default: the sample class.

    Stopped at any instant, the same command goes on where it was.
    """
    from ..course import lab
    from ..export import results
    from ..grading import batch, session
    from ..submission import downloads
    from ..submission.roster import load as load_roster

    begun = time.monotonic()
    repository = here()
    out = out or repository.grades
    labs = tuple(lab.named(repository, name) for name in names) or lab.find(repository)
    folder = submissions or repository.root / "grader" / "tests" / "fixtures" / "submissions" / "class"
    everyone = load_roster(roster) if roster else None
    adjust = _adjust(repository, rules)
    with _stoppable(), downloads.opened(folder, repository) as place:
        download = downloads.read(place, source, everyone)
        wish = session.Wish(device, walls, gpu_model, jobs, sanitizer=sanitizer, fresh=True)
        shop = session.prepare(repository, labs, wish)
        with _progress() as tell:
            grades = batch.grade_class(download, out, shop, tell, adjust)
        _write(grades, out)
    if as_json:
        for piece in results.pieces(grades, partial(batch.whole, out=out)):
            click.echo(piece, nl=False)
    else:
        _show(grades, out)
    if timings:
        _show_timings(time.monotonic() - begun, grades)
    return _status(grades)


@click.command("regrade", epilog=EXIT_CODES)
@click.option("--out", type=File(), help="default: build/grades")
@click.option("--policy", "rules", type=File(), help="default: policy.toml")
@machine_options
@click.option("--jobs", type=click.IntRange(0, 256), default=0, help="default: one a core")
@click.option("--accept", is_flag=True, help="write the new grades; without it nothing changes")
@resumed
def regrade_class(
    out: Path | None, rules: Path | None, device: str, walls: str, gpu_model: str, jobs: int, accept: bool
) -> int:
    """Grade the saved submissions again, and show what changed.

    For when a lab or the grader is another one now.
    """
    from ..course import lab
    from ..grading import batch, regrade, session

    repository = here()
    out = out or repository.grades
    old = batch.reload(out)
    place = regrade.start(out)
    labs = tuple(lab.named(repository, item.name) for item in old.labs)
    with _stoppable():
        shop = session.prepare(repository, labs, session.Wish(device, walls, gpu_model, jobs, fresh=True))
        with _progress() as tell:
            new = batch.grade_again(old, out, place, shop, tell, _adjust(repository, rules))
        _write(new, place)
    console = screen() if screen().is_terminal else screen(_WIDE)
    found = regrade.changes(old, new)
    console.print(_changes_table(found) if found else "nothing changed")
    _show_withheld(new, console)
    if accept:
        kept = regrade.accept(out)
        console.print(f"written to {out}; the grades before are in {kept}", markup=False, soft_wrap=True)
    elif found:
        console.print("nothing is written yet; type the same with --accept to write it")
    return _status(new)


@click.command("mutants", epilog=EXIT_CODES)
@click.argument("name", metavar="LAB", type=LabName())
@click.option("--auto", is_flag=True, expose_value=False, help="systematic mutants of the solution")
@click.option("--jobs", type=click.IntRange(0, 256), default=0, help="default: one a core")
@told
def make_mutants(name: str, jobs: int) -> int:
    """Which wrong variants of the solution keep full points?

    Each has one change, in one place after another. A survivor is a missing case, or a change that changes
    nothing: list those, with the reason, in solutions/LAB/equivalents.toml. Exit code 3 where more than
    1 % are unexplained.
    """
    from ..course import lab
    from ..grading import session
    from ..staff import mutation_test

    repository = here()
    shop = session.prepare(
        repository, [lab.named(repository, name)], session.Wish("emulator", jobs=jobs, fresh=True)
    )
    found = mutation_test.fates(shop.places[0], shop, _now_and_then)
    counts = {fate: sum(item.fate == fate for item in found) for fate in sorted({f.fate for f in found})}
    left = mutation_test.unexplained(found)
    for item in left:
        click.echo(f"line {item.mutant.line}, {item.mutant.rule}, {item.fate}: {item.reason}".rstrip(": "))
        click.echo(f"  - {item.mutant.before}\n  + {item.mutant.after}")
    told_counts = ", ".join(f"{count} {fate}" for fate, count in counts.items())
    click.echo(f"{name}: {len(found)} mutants: {told_counts}")
    return 3 if len(left) > mutation_test.MOST_UNEXPLAINED * len(found) else 0


def _now_and_then(done: int, of_all: int) -> None:
    if done % _MUTANTS_TOLD == 0:
        click.echo(f"{done} of {of_all} mutants", err=True)


@click.command("report")
@click.option("--out", type=File(), help="default: build/grades")
@told
def make_report(out: Path | None) -> int:
    """Make the pages and tables again from what is saved.

    Without compiler and device: index.html, gradebook.csv, results.json.
    """
    from ..grading import batch

    out = out or here().grades
    grades = batch.reload(out)
    _write(grades, out)
    _show(grades, out)
    return _status(grades)


def _adjust(repository: Repository, rules: Path | None) -> batch.Adjust | None:
    """The course's policy, where there is one."""
    from ..judge import late_policy

    file = rules or repository.root / "policy.toml"
    if rules is None and not file.exists():
        return None
    return partial(late_policy.adjusted, policy=late_policy.load(file))


def _write(grades: Grades, out: Path) -> None:
    from ..core import profiling
    from ..export import results
    from ..grading import batch
    from ..report import html as report

    whole = partial(batch.whole, out=out)
    with profiling.lap("results.json and gradebook.csv"):
        results.write(grades, out, whole)
    with profiling.lap("pages"):
        report.render(grades, out, whole)


# --- while it runs -----------------------------------------------------------------------------


@contextmanager
def _stoppable() -> Iterator[None]:
    """A polite end (SIGTERM, as batch systems send it) is the same as Ctrl-C."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _progress() -> Iterator[Progress]:
    """A bar on a terminal; elsewhere a line now and then, so that a log tells how far a night got."""
    from ..grading import progress

    console = aside()
    if console.is_terminal:
        with _bar(console) as tell:
            yield tell
        return
    last = time.monotonic()

    def tell_line(pace: Pace) -> None:
        nonlocal last
        if time.monotonic() - last >= _TOLD_EVERY:
            last = time.monotonic()
            console.print(progress.sentence(pace), soft_wrap=True, markup=False)

    yield tell_line


@contextmanager
def _bar(console: Console) -> Iterator[Progress]:
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    from ..grading.progress import duration

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Bars(*columns, console=console, transient=True) as bars:
        task = bars.add_task("preparing", total=None)

        def tell(pace: Pace) -> None:
            words = [] if pace.rate is None else [f"{pace.rate:.1f}/s"]
            if pace.seconds_left is not None:
                words.append(f"{duration(pace.seconds_left)} left")
            words.append(", ".join(pace.running[:4]))
            bars.update(task, description=escape("  ".join(words)), completed=pace.done, total=pace.total)

        yield tell


# --- when it is done ---------------------------------------------------------------------------


def _show(grades: Grades, out: Path) -> None:
    from ..report import terminal

    console = screen()
    if not console.is_terminal:
        console = screen(_WIDE)
    console.print(terminal.class_table(grades, console.width))
    for remark in terminal.remarks(grades):
        console.print(remark, markup=False, style="red")
    console.print(f"\n{terminal.legend(grades)}", style="dim")
    for note in grades.notes:
        console.print(f"note: {note}", markup=False)
    if grades.setting.sandbox == "none":
        console.print("[bold red]graded without a sandbox[/]: this is written into the results")
    setting = grades.setting
    console.print(
        f"\n{setting.device_name}, CUDA {setting.toolkit}; pages: {near(out / 'index.html')}", markup=False
    )
    _show_withheld(grades, console)


def _show_withheld(grades: Grades, console: Console) -> None:
    withheld = [(s.id, r) for s in grades.students for r in s.results if r.status == "withheld"]
    if withheld:
        console.print("[bold magenta]withheld, a fault of ours[/]; the same command tries them again:")
    for student, result in withheld:
        why = f"  {result.problem.message}" if result.problem else ""
        console.print(f"  {student} {result.lab}{why}", markup=False)


def _changes_table(found: Sequence[Change]) -> Table:
    """What another grading changed: a line a student's lab, and below it what explains it."""
    from rich.table import Table
    from rich.text import Text

    from ..report import terminal

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


def _show_timings(wall: float, grades: Grades) -> None:
    """To standard error: with --json standard output is a program's."""
    from ..core import profiling

    console = aside()
    count = sum(len(student.results) for student in grades.students)
    own, others = profiling.processor_seconds()
    console.print(f"\n{count:,} lab submissions in {wall:.1f} s: {count / wall:.2f} a second")
    console.print(f"processor time: {own:.1f} s here, at least {others:.1f} s in compilers and harnesses")
    for row in profiling.rows():
        each = 1000 * row.seconds / row.times
        console.print(f"  {row.what:<32} {row.times:>6,} × {each:>8.1f} ms = {row.seconds:>8.1f} s")


def _status(grades: Grades) -> int:
    return _OURS if any(r.status == "withheld" for s in grades.students for r in s.results) else 0


def commands() -> list[click.Command]:
    """In the order of a term."""
    return [grade, regrade_class, make_mutants, make_report]
