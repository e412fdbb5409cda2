"""Shared by `grade`, `regrade` and `report`: the progress bar, the class's table, and what changed."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import ExitCode, UsageError
from ..core.formatting import amount
from ..core.paths import Repository, typed
from .console import aside, near, screen

if TYPE_CHECKING:
    from rich.console import Console

    from ..grading.by_hand import ByHand
    from ..grading.progress import Pace, Progress
    from ..overview.changes import Change
    from ..records import Grades, Lab, Problem, Student

WIDE = 140  # columns without a terminal
_FEW_TOTALS = 3  # changed results whose parts are shown, too
_SOME_CHANGES = 40  # rows of the table of changes on the terminal
_REPORT_EVERY = 15.0  # seconds between two lines of progress without a terminal


def need_outside(out: Path, submissions: Path) -> None:
    """UsageError where the grades would be among the submissions: they would be graded the next time."""
    if submissions.is_dir() and out.resolve().is_relative_to(submissions.resolve()):
        raise UsageError(
            "is inside the folder of submissions", file=out, remedy="name another folder with --out"
        )


def write(grades: Grades, out: Path) -> None:
    """Write results.json, gradebook.csv and all pages in one pass, so that each saved file is read once."""
    from ..core.concurrency import ceiling, profiling
    from ..export import results
    from ..report import html

    pages = html.ReportWriter(grades, out)

    def students() -> Iterator[Student]:
        for student in grades.students:
            try:
                with ceiling.own_time():
                    pages.add(student)
            except (ceiling.Exceeded, Exception) as error:  # one page must not cost the others
                pages.add(_without_results(student, error))
            yield student

    with profiling.lap("results and pages"):
        results.write(grades, out, students())
        pages.finish()


def _without_results(student: Student, error: BaseException) -> Student:
    """The student as a page can show it that has no results: the gradebook has the points."""
    from ..records import Fault, Problem

    what = f"the results cannot be shown ({type(error).__name__}); the points stand in the gradebook"
    return replace(student, results=(), problem=Problem(Fault.GRADER, what))


@contextmanager
def stoppable() -> Iterator[None]:
    """Handles SIGTERM, which batch systems send, like Ctrl-C."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar on a terminal. Elsewhere a line of progress every 15 seconds, for log files."""
    from ..grading import progress

    console = aside()
    if console.is_terminal:
        with _bar(console) as report:
            yield report
        return
    last = time.monotonic()

    def report_line(pace: Pace) -> None:
        nonlocal last
        if time.monotonic() - last >= _REPORT_EVERY:
            last = time.monotonic()
            console.print(progress.sentence(pace), soft_wrap=True, markup=False)

    yield report_line


@contextmanager
def _bar(console: Console) -> Iterator[Progress]:
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    from ..grading.progress import DONE, duration

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Bars(*columns, console=console, transient=True) as bars:
        task = bars.add_task("preparing", total=None)

        def report(pace: Pace) -> None:
            words = [] if pace.what == DONE else [pace.what]
            words += [] if pace.rate is None else [f"{pace.rate:.1f}/s"]
            if pace.seconds_left is not None:
                words.append(f"{duration(pace.seconds_left)} left")
            words.append(", ".join(pace.running[:4]))
            bars.update(task, description=escape("  ".join(words)), completed=pace.done, total=pace.total)

        yield report


def show(grades: Grades, out: Path) -> None:
    from ..report import terminal

    console = screen()
    if not console.is_terminal:
        console = screen(WIDE)
    shown = terminal.class_table(grades, console.width)
    console.print(shown.table)
    if shown.left_out:
        labs = f"{amount(len(shown.left_out), 'more lab')} ({', '.join(shown.left_out)})"
        console.print(f"and {labs}, on the pages and in gradebook.csv", markup=False)
    if len(grades.students) > terminal.MOST_ROWS:
        left_out = len(grades.students) - terminal.MOST_ROWS
        console.print(f"and {left_out} more students, on the pages and in gradebook.csv", markup=False)
    for remark in terminal.remarks(grades):
        console.print(remark, markup=False, style="red")
    console.print(f"\n{terminal.legend(grades)}", style="dim")
    for note in (*grades.notes, *terminal.choices(grades)):
        console.print(f"note: {note}", markup=False)
    if grades.setting.sandbox == "none":
        console.print("[bold red]graded without a sandbox[/]: the results record it")
    setting = grades.setting
    console.print(
        f"\n{setting.device_name}, CUDA {setting.toolkit}, "
        f"sandbox {setting.sandbox}; pages: {near(out / 'index.html')}",
        markup=False,
    )
    show_withheld(grades, console)


def show_doubts(written: ByHand, grades: Grades) -> None:
    """What people wrote that has no effect: entries of policy and reviews about nothing in the class,
    most often a name that is mistyped, and due dates of labs whose downloads say no times.
    """
    from ..judge import late_policy

    show_notes(written.unmatched(grades))
    for name, count in late_policy.untimed(grades.students, written.policy).items():
        untimed = f"{amount(count, 'hand-in')} at {name} without a time"
        show_notes([f"{untimed}: none is late, but by --times SHEET or [[late_days]] in policy.toml"])


def show_missing_secret(repository: Repository, labs: Iterable[Lab]) -> None:
    """Says so where the labs have something to hide and the course has no secret of its own."""
    from ..run import datasets
    from . import machine_checks

    found = machine_checks.salt(repository)
    if not found.ok and any(map(datasets.needs_secret, labs)):
        show_notes([f"the course's secret is {found.detail}; {found.remedy}"])


def show_other_secret(old: Grades | None, new: Grades) -> None:
    if old and old.setting.salt != new.setting.salt:
        now = "hidden cases, drawn sizes and names on anonymous pages are others now"
        what = f"the course's secret is not that of the last grading: {now}"
        show_notes([f"{what}; what was graded before keeps its points until {typed('regrade')}"])


def show_notes(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        aside().print(f"note: {sentence}", markup=False, soft_wrap=True)


def show_changes(old: Grades | None, new: Grades) -> None:
    """What a grading changed in a folder that held grades: a line for each lab, and some of the changes."""
    from ..overview import changes
    from ..report import terminal

    if old is None:
        return
    console = screen() if screen().is_terminal else screen(WIDE)
    summaries = changes.summaries(old, new)
    console.print("\nwhat changed:", markup=False)
    for summary in summaries:
        console.print(f"  {summary}", markup=False)
    found, more = _some(change for change in changes.changes(old, new) if change.is_known)
    if found:
        console.print(terminal.changes_table(found))
    if more:
        console.print(f"and {more} more rows", markup=False)


def _some(found: Iterable[Change]) -> tuple[list[Change], int]:
    """Changes to show, and how many more rows there are. Of many changed results only the totals count."""
    shown: dict[str, list[Change]] = {"rows": [], "totals": []}
    count: Counter[str] = Counter()
    for change in found:
        for kind in ("rows", "totals") if change.what == "total" else ("rows",):
            count[kind] += 1
            if count[kind] <= _SOME_CHANGES:
                shown[kind].append(change)
    kind = "totals" if count["totals"] > _FEW_TOTALS else "rows"
    return shown[kind], count[kind] - len(shown[kind])


def show_withheld(grades: Grades, console: Console) -> None:
    withheld = [(s.id, r) for s in grades.students for r in s.results if r.status == "withheld"]
    if withheld:
        console.print(
            "[bold magenta]withheld because of an error in the grader[/]; the same command tries again:"
        )
    for student, result in withheld:
        why = f"  {result.problem}" if result.problem else ""
        console.print(f"  {student} {result.lab}{why}", markup=False)


def show_left_out(problems: Iterable[Problem]) -> None:
    """What keeps labs from being graded, on standard error."""
    for problem in problems:
        words = f"{near(Path(problem.where))} {problem.message}, so nobody was graded on this lab"
        aside().print(f"{words}\n  next: {problem.remedy}", markup=False, soft_wrap=True, style="red")


def exit_code(grades: Grades, left_out: Sequence[Problem] = ()) -> ExitCode:
    is_withheld = any(r.status == "withheld" for s in grades.students for r in s.results)
    if is_withheld:
        return ExitCode.GRADER
    return ExitCode.INSTRUCTOR if left_out else ExitCode.DONE
