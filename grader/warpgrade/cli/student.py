"""The commands of a student's first hour: check, watch, list, hint, explain, profile."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import UsageError
from ..core.paths import Repository, here, typed
from .console import (
    EXIT_CODES,
    File,
    aside,
    escape,
    lab_argument,
    machine_options,
    near,
    next_step,
    screen,
    told,
    width,
)

if TYPE_CHECKING:
    from rich.console import Console

    from ..drawing.source_lines import LinePicture
    from ..grading.session import Workshop
    from ..records import Lab, Result
    from ..student.progress import Progress
    from .check import Subject

_NOT_RIGHT = 1
_OURS = 4
_GLANCE = 0.3  # seconds between two looks at a watched file


# --- check and watch ---------------------------------------------------------------------------


def _status(result: Result) -> int:
    from ..records import Verdict

    if result.status == "withheld":
        return _OURS
    cases = result.judgement.cases if result.judgement else ()
    return 0 if cases and all(case.verdict == Verdict.PASS for case in cases) else _NOT_RIGHT


@click.command(epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@machine_options
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead")
@told
def check(name: str, file: Path | None, device: str, walls: str, gpu_model: str, as_json: bool) -> int:
    """Check one kernel and say what is wrong with it.

    FILE: default labs/LAB/kernel.cu.
    """
    from ..export import check_json
    from . import check as checking

    subject = checking.subject_of(here(), name, file)
    console = screen()
    notes = aside() if as_json else console
    shop = checking.shop_for(subject, device, walls, gpu_model, notes)
    result = checking.check(subject, shop, console, quiet=as_json)
    if as_json:
        click.echo(check_json.text(subject.lab, result), nl=False)
    else:
        checking.print_advice(subject, result, console)
    return _status(result)


@click.command(epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@machine_options
@click.option("--times", type=int, default=0, hidden=True, help="stop after this many checks")
@told
def watch(name: str, file: Path | None, device: str, walls: str, gpu_model: str, times: int) -> int:
    """Check again at each save, until Ctrl-C."""
    from . import check as checking

    subject = checking.subject_of(here(), name, file)
    console = screen()
    shop = checking.shop_for(subject, device, walls, gpu_model, console)
    status, done = 0, 0
    while True:
        seen = _stamp(subject.path)
        if console.is_terminal:
            console.clear()
        result = checking.check(subject, shop, console, quiet=False)
        checking.print_advice(subject, result, console)
        status, done = _status(result), done + 1
        if done == times:
            return status
        console.print("\n[dim]waiting for the next save; Ctrl-C ends this[/]")
        while _stamp(subject.path) in (seen, None):
            time.sleep(_GLANCE)


def _stamp(path: Path) -> tuple[int, int] | None:
    """Changes with each save; None while an editor has the file away."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if found.st_size else None


# --- list --------------------------------------------------------------------------------------


@click.command("list")
@click.option("--points", "in_numbers", is_flag=True, help="what each lab gives points for")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead")
@told
def list_labs(in_numbers: bool, as_json: bool) -> int:
    """The labs, and how far you are."""
    from ..course import lab

    repository, console = here(), screen()
    labs = lab.find(repository)
    if as_json:
        click.echo(json.dumps({"labs": [_lab_data(repository, item) for item in labs]}, ensure_ascii=False))
    elif in_numbers:
        for item in labs:
            console.print(f"[bold]{item.name}[/]  {escape(item.title)}", soft_wrap=True)
            console.print(f"  {_in_numbers(item)}", soft_wrap=True)
    else:
        _list_progress(repository, labs, console)
    return 0


def _list_progress(repository: Repository, labs: tuple[Lab, ...], console: Console) -> None:
    from rich.text import Text

    from ..student import progress as journal

    done = [journal.read(repository, item.name) for item in labs]
    states = [_state(item, progress) for item, progress in zip(labs, done, strict=True)]
    name_width = max(len(item.name) for item in labs)
    title_room = max(10, width(console) - name_width - 4 - max(len(Text.from_markup(s)) for s in states))
    title_room = min(title_room, max(len(item.title) for item in labs))
    for item, state in zip(labs, states, strict=True):
        title = item.title if len(item.title) <= title_room else item.title[: title_room - 1] + "…"
        console.print(f"{item.name:<{name_width}}  {escape(title):<{title_room}}  {state}", soft_wrap=True)
    left = [item.name for item, progress in zip(labs, done, strict=True) if not _is_full(item, progress)]
    if left:
        next_step(console, "go on with", f"check {left[0]}")
    else:
        next_step(console, "full points everywhere; the archive to hand in", "pack")


def _is_full(item: Lab, done: Progress) -> bool:
    return done.points is not None and done.points >= lab_total(item)


def _state(item: Lab, done: Progress) -> str:
    from ..core.formatting import points

    if done.points is None:
        return "[dim]not checked yet[/]"
    colour = "green" if _is_full(item, done) else "yellow"
    earned = f"{points(done.points)}/{points(lab_total(item))}"
    return f"[{colour}]{earned:>8}[/] points  {done.passed}/{done.cases} cases"


def lab_total(item: Lab) -> float:
    points = [case.points for case in item.cases] + [technique.points for technique in item.techniques]
    return sum(points) + item.build_points + item.performance.points


def _lab_data(repository: Repository, item: Lab) -> dict[str, Any]:
    from ..student import progress as journal

    done = journal.read(repository, item.name)
    return {
        "name": item.name,
        "title": item.title,
        "teaches": item.teaches,
        "possible": lab_total(item),
        "points": done.points,
        "passed": done.passed,
        "cases": len(item.cases),
    }


def _in_numbers(item: Lab) -> str:
    from ..core.formatting import points

    hidden = sum(case.visibility == "hidden" for case in item.cases)
    correct = sum(case.points for case in item.cases)
    technique = sum(technique.points for technique in item.techniques)
    return (
        f"{len(item.cases)} cases ({hidden} hidden); build {points(item.build_points)}, "
        f"correct {points(correct)}, technique {points(technique)}, "
        f"performance {points(item.performance.points)} points"
    )


# --- hint and explain --------------------------------------------------------------------------


@click.command()
@lab_argument
@click.argument("todo", required=False, type=int)
@told
def hint(name: str, todo: int | None) -> int:
    """One hint more each time.

    With TODO, the hint for that number in kernel.cu.
    """
    from ..course import lab
    from ..student import hints

    repository, console = here(), screen()
    chosen = lab.named(repository, name)
    for line in hints.lines(repository, chosen, todo, width(console)):
        console.print(line, soft_wrap=True)
    return 0


@click.command()
@click.argument("code", required=False)
@told
def explain(code: str | None) -> int:
    """What a finding's code means.

    Shows a small wrong and a right kernel. Without CODE: all codes.
    """
    from ..student import explain as explanations

    repository, console = here(), screen()
    if code is None:
        for kind in explanations.kinds(repository):
            console.print(f"[bold]{kind.code}[/]  {kind.words}")
        next_step(console, "more about one", "explain WG101")
        return 0
    for line in explanations.lines(repository, code, width(console)):
        console.print(line, soft_wrap=True)
    return 0


# --- profile -----------------------------------------------------------------------------------


@click.command(epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@machine_options
@click.option("--open/--no-open", "shall_open", default=False, help="open the page in a browser")
@told
def profile(name: str, file: Path | None, device: str, walls: str, gpu_model: str, shall_open: bool) -> int:
    """Where the time goes, line by line.

    Writes a page with what each line costs, what your warps touch, occupancy, roofline, counters.
    """
    import tempfile

    from ..feedback import student_lab
    from ..records import BuildStatus, Grades, Student
    from ..report import html as report
    from ..report import terminal_profile
    from . import check as checking

    subject, console = checking.subject_of(here(), name, file), screen()
    shop = checking.shop_for(subject, device, walls, gpu_model, console)
    with tempfile.TemporaryDirectory() as folder:
        result = checking.check_in(Path(folder), subject, shop, console, quiet=True)
        if result.build is None or result.build.status != BuildStatus.BUILT:
            raise UsageError("does not compile", file=subject.path, remedy=typed(subject.command("check")))
        pictures = _pictures(Path(folder), subject, shop, result)
    grades = Grades(shop.setting, shop.labs, (Student("you", "Your kernel", subject.path.name, (result,)),))
    page = subject.repository.output / "profile" / f"{name}.html"
    report.write_one(grades, grades.students[0], page, {name: pictures} if pictures else {})
    for line in terminal_profile.lines(student_lab.lab_feedback(subject.lab, result, {}), width(console)):
        console.print(line, soft_wrap=True)
    console.print(f"\nwrote {near(page)}; open it in a browser", soft_wrap=True, markup=False)
    next_step(console, "change one thing, then", subject.command("check"))
    if shall_open:
        click.launch(str(page))
    return 0


def _pictures(folder: Path, subject: Subject, shop: Workshop, result: Result) -> tuple[LinePicture, ...]:
    """What the kernel's first block touches, in one visible case."""
    from ..build.compiler import FATBIN
    from ..core import messages
    from ..drawing import source_lines
    from ..run import trace

    case = source_lines.case_to_record(subject.lab, result.run.launch_shape if result.run else None)
    handed = result.submission
    if case is None or handed is None or not (folder / FATBIN).is_file():
        return ()
    made = trace.traced(shop.bench, subject.lab, handed, folder / FATBIN, case)
    if not made.accesses:
        return ()
    words = messages.load(subject.repository.root, messages.BASE)
    source = handed.files[0]
    return source_lines.pictures(words, made, source.name, source.text, f"{subject.lab.name}-access")


def commands() -> list[click.Command]:
    """In the order of a first hour."""
    return [check, watch, list_labs, hint, explain, profile]
