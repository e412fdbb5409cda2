"""The command line. The only place that prints and that turns an error into an exit code."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import ParamSpec

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from . import (
    batch,
    calibrate,
    doctor,
    lab,
    new,
    report,
    results,
    run,
    sandbox,
    skeletons,
    submission,
    terminal,
    workshop,
)
from .errors import UsageError, WarpgradeError
from .errors import __doc__ as errors_words
from .house import House, here
from .records import Grades, Lab, Verdict
from .workshop import Wish

P = ParamSpec("P")
_WIDE = 140  # columns, where no terminal says otherwise
_STOPPED = 130
_NOT_RIGHT = 1
_OURS = 4
_EXIT_CODES = "Exit codes:\n\n\b\n" + "\n".join(
    line.strip() for line in (errors_words or "").splitlines() if line.startswith("    ")
)


def main() -> None:
    """Run the command line; never shows a stack trace for an error that has a remedy."""
    os.umask(0o022)  # what we write must be readable for the unprivileged user inside the sandbox
    cli(prog_name="warpgrade")


def _told(command: Callable[P, int]) -> Callable[P, None]:
    """Errors become a message and an exit code here and nowhere else."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            status = command(*args, **kwargs)
        except WarpgradeError as error:
            console = Console(stderr=True, highlight=False)
            for line in terminal.problem_lines(error.problem()):
                console.print(line, soft_wrap=True)
            sys.exit(error.exit_code)
        except (KeyboardInterrupt, sandbox.Stopped):
            Console(stderr=True).print("stopped; the same command goes on where it was")
            sys.exit(_STOPPED)
        sys.exit(status)

    return wrapped


@click.group(
    epilog=_EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
def cli() -> None:
    """CUDA labs that grade themselves, with a GPU or without one."""


def _machine_options(command: Callable[P, None]) -> Callable[P, None]:
    device = "auto: a GPU for times if one answers"
    walls = "none: without walls, for code that you trust; written into the results"
    card = "the card that modelled times and occupancy are for: a name in grader/gpus/"
    options = (
        click.option("--device", type=click.Choice(workshop.DEVICES), default="auto", help=device),
        click.option("--sandbox", "walls", type=click.Choice(sandbox.KINDS), default="bwrap", help=walls),
        click.option("--gpu", "gpu_model", default="h200", help=card),
    )
    for option in reversed(options):
        command = option(command)
    return command


# --- grade -------------------------------------------------------------------------------------


@cli.command(epilog=_EXIT_CODES)
@click.argument("submissions", required=False, type=click.Path(path_type=Path))
@click.option("--lab", "names", multiple=True, help="grade this lab only; may be given several times")
@_machine_options
@click.option(
    "--jobs", type=click.IntRange(0, 256), default=0, help="submissions at a time; default: one a core"
)
@click.option("--out", type=click.Path(path_type=Path), help="default: build/grades")
@click.option("--json", "as_json", is_flag=True, help="print results.json instead of a table")
@_told
def grade(
    submissions: Path | None,
    names: tuple[str, ...],
    device: str,
    walls: str,
    gpu_model: str,
    jobs: int,
    out: Path | None,
    as_json: bool,
) -> int:
    """Grade a class: a folder with one entry for each student (a folder, .zip, .tar.gz or .cu)."""
    house = here()
    out = out or house.grades
    labs = tuple(lab.named(house, name) for name in names) or lab.find(house)
    folder = submissions or house.root / "grader" / "tests" / "submissions" / "class"
    if not folder.is_dir():
        raise UsageError(
            "is not a folder", file=folder, remedy="name a folder with one entry for each student"
        )
    shop = workshop.prepare(house, labs, Wish(device, walls, gpu_model, jobs))
    with _progress() as tell:
        grades = batch.grade_class(folder, out, shop, tell)
    files = [*results.write(grades, out), *report.render(grades, out)]
    if as_json:
        click.echo(results.results_json(grades), nl=False)
    else:
        _show(grades, out, files)
    return _status(grades)


@contextmanager
def _progress() -> Iterator[batch.Progress | None]:
    """A bar on a terminal, nothing elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("grading", total=None)

        def tell(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield tell


def _show(grades: Grades, out: Path, files: Sequence[Path]) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDE)
    console.print(terminal.class_table(grades))
    console.print(f"\n{terminal.legend(grades)}", style="dim")
    for note in grades.notes:
        console.print(f"note: {note}", markup=False)
    if grades.setting.sandbox == "none":
        console.print("[bold red]graded without a sandbox[/]: this is written into the results")
    setting = grades.setting
    console.print(
        f"\n{setting.device_name}, CUDA {setting.toolkit}; pages: {out / 'index.html'}", markup=False
    )
    withheld = [f"{s.id} {r.lab}" for s in grades.students for r in s.results if r.status == "withheld"]
    if withheld:
        console.print(f"[bold magenta]withheld, a fault of ours[/]: {', '.join(withheld)}")


def _status(grades: Grades) -> int:
    return _OURS if any(r.status == "withheld" for s in grades.students for r in s.results) else 0


# --- check -------------------------------------------------------------------------------------


@cli.command(epilog=_EXIT_CODES)
@click.argument("name", metavar="LAB")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@_machine_options
@_told
def check(name: str, file: Path | None, device: str, walls: str, gpu_model: str) -> int:
    """Grade one kernel of one lab and say what is wrong with it. FILE: default labs/LAB/kernel.cu."""
    house = here()
    chosen = lab.named(house, name)
    handed = submission.from_file(file or house.labs / name / chosen.files[0], chosen, "you")
    console = Console(highlight=False)
    trouble = sandbox.trouble(walls)
    if trouble:
        console.print(f"[yellow]note[/]: without a sandbox, as {trouble}")
        walls = "none"
    shop = workshop.prepare(house, [chosen], Wish(device, walls, gpu_model))
    shop = replace(shop, bench=replace(shop.bench, threads=0))
    with tempfile.TemporaryDirectory() as folder:
        result = batch.grade_one(handed, shop.places[0], Path(folder), shop)
    for line in terminal.result_lines(chosen, result):
        console.print(line, soft_wrap=True)
    if result.status == "withheld":
        return _OURS
    cases = result.judgement.cases if result.judgement else ()
    return 0 if cases and all(case.verdict == Verdict.PASS for case in cases) else _NOT_RIGHT


# --- the others --------------------------------------------------------------------------------


@cli.command("list")
@_told
def list_labs() -> int:
    """The labs: their points and cases."""
    for item in lab.find(here()):
        click.echo(f"{item.name:<20} {item.title}: {_in_numbers(item)}")
    return 0


def _in_numbers(item: Lab) -> str:
    hidden = sum(case.visibility == "hidden" for case in item.cases)
    correct = sum(case.points for case in item.cases)
    technique = sum(technique.points for technique in item.techniques)
    return (
        f"{len(item.cases)} cases ({hidden} hidden); points: build {item.build_points:g}, "
        f"correct {correct:g}, technique {technique:g}, performance {item.performance.points:g}"
    )


@cli.command("report")
@click.option("--out", type=click.Path(path_type=Path), help="default: build/grades")
@_told
def make_report(out: Path | None) -> int:
    """Make pages, gradebook.csv and results.json again from saved stages, without compiler and device."""
    out = out or here().grades
    grades = batch.reload(out)
    _show(grades, out, [*results.write(grades, out), *report.render(grades, out)])
    return _status(grades)


@cli.command("skeletons")
@click.option("--check", "only_check", is_flag=True, help="write nothing; exit code 3 if one is stale")
@_told
def make_skeletons(only_check: bool) -> int:
    """Cut labs/*/kernel.cu from the marked solutions."""
    house = here()
    stale = skeletons.make(house.root, only_check)
    for skeleton in stale:
        click.echo(f"{'stale' if only_check else 'wrote'} {skeleton.path.relative_to(house.root)}")
    return 3 if only_check and stale else 0


@cli.command("handouts")
@click.option("--out", type=click.Path(path_type=Path), help="default: build/handouts")
@click.option("--seed", default="", help="vary the numbers of the questions, for instance by student")
@click.option("--pdf/--no-pdf", default=None, help="default: PDF where Chromium is installed")
@_told
def make_handouts(out: Path | None, seed: str, pdf: bool | None) -> int:
    """Write the handouts: for students, for staff, and as answer keys."""
    from . import handouts, printing  # only here: figures and typesetting take a second to import

    house = here()
    wanted = pdf if pdf is not None else printing.browser() is not None
    out = out or house.root / "build" / "handouts"
    handouts.make(house.root, out, seed=seed, pdf=wanted, tell=lambda path: click.echo(_below(path, house)))
    if pdf is None and not wanted:
        click.echo(f"no PDF, as Chromium is missing; type: {printing.HOW_TO_GET}", err=True)
    return 0


@cli.command("calibrate")
@click.option("--sandbox", "walls", type=click.Choice(sandbox.KINDS), default="bwrap")
@_told
def make_reference_timings(walls: str) -> int:
    """Time the solutions on this machine's GPU, into datasets/reference-timings/."""
    house = here()
    shop = workshop.prepare(house, lab.find(house), Wish("gpu", walls))
    conditions, rows = calibrate.measure(shop)
    for row in rows:
        name = f"{row.lab} {run.size_name(row.size)}"
        click.echo(f"{name:<36} {row.milliseconds:10.4f} ms  {row.gflops:10,.1f} GFLOP/s  ±{row.spread:.2%}")
    click.echo(_below(calibrate.write(house, conditions, rows), house))
    return 0


@cli.command("new")
@click.argument("name")
@_told
def make_new(name: str) -> int:
    """Start a lab from a template: one folder name in labs/, solutions/ and handouts/."""
    house = here()
    for path in new.create(house.root, name):
        click.echo(f"wrote {_below(path, house)}")
    return 0


def _below(path: Path, house: House) -> str:
    return str(path.relative_to(house.root) if path.is_relative_to(house.root) else path)


@cli.command("doctor")
@_told
def examine() -> int:
    """Show toolkit, emulator, sandbox, GPU, salt and versions, with a remedy for what is missing."""
    console = Console(highlight=False)
    rows = doctor.examine(here())
    for row in rows:
        mark = {True: "[green]✓[/]", False: "[red]✗[/]", None: "[yellow]–[/]"}[row.ok]
        console.print(f"{mark} {row.what:<16}", end=" ")
        console.print(row.detail, markup=False, soft_wrap=True)
        if row.remedy:
            console.print(f"  → {row.remedy}", markup=False, soft_wrap=True)
    return _OURS if any(row.ok is False for row in rows) else 0
