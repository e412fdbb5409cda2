"""The command line. The only place that prints and that turns an error into an exit code."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import click

from ..core.errors import WarpgradeError
from ..core.paths import Repository, here, program
from ..sandbox.bubblewrap import KINDS
from .console import EXIT_CODES, File, escape, next_step, screen, told, width

_OURS = 4
_HELP = 64  # columns of a command's line in the help
_DOCTOR = 19  # columns before a row's detail
_STAFF: set[str] = set()


def main() -> None:
    """Run the command line; never shows a stack trace for an error that has a remedy."""
    os.umask(0o022)  # what we write must be readable for the unprivileged user inside the sandbox
    cli(prog_name=program(), complete_var="_WARPGRADE_COMPLETE")


class _Sections(click.Group):
    """Help in two parts: what students type, in the order of a first hour, and what course staff type.

    Modules of commands are imported one after another until one has the command that was typed.
    """

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        self._import(cmd_name)
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        self._import()
        return super().list_commands(ctx)

    def _import(self, until: str = "") -> None:
        while _PARTS and until not in self.commands:
            for command in _PARTS.pop(0)():
                self.add_command(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self._import()
        shown = [(name, command.get_short_help_str(_HELP)) for name, command in self.commands.items()]
        for title, wanted in (("Labs", False), ("Course staff", True)):
            rows = [(name, words) for name, words in shown if (name in _STAFF) is wanted]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


@click.group(
    cls=_Sections,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, help="version, commit, and CUDA's",
    callback=lambda ctx, param, wanted: _tell_version(ctx) if wanted else None,
)  # fmt: skip
def cli() -> None:
    """CUDA labs that grade themselves, with a GPU or without one."""


def _tell_version(ctx: click.Context) -> None:
    from .. import VERSION
    from ..build import toolkit

    repository = here()
    commit = _commit(repository)
    words = [f"warpgrade {VERSION}", *([f"commit {commit}"] if commit else [])]
    try:
        words.append(f"CUDA {toolkit.find(repository).version}")
    except WarpgradeError:
        words.append("no CUDA compiler")
    click.echo(", ".join(words))
    ctx.exit()


def _commit(repository: Repository) -> str:
    """The checkout's; empty where there is no repository, or no git."""
    from ..sandbox import process

    if not (repository.root / ".git").exists():
        return ""
    command = ["git", "-C", str(repository.root), "rev-parse", "--short", "HEAD"]
    try:
        asked = process.run_trusted(command, {}, process.ResourceLimits(seconds=10))
    except WarpgradeError:
        return ""
    return asked.stdout.strip() if asked.status == 0 else ""


def _student() -> list[click.Command]:
    from . import student as student_commands

    return student_commands.commands()


def _others() -> list[click.Command]:
    from . import files, performance

    return [*files.commands(), *performance.commands(), examine]


@click.command("doctor")
@told
def examine() -> int:
    """What is missing on this machine, and how to get it."""
    from . import doctor

    console = screen()
    rows = doctor.examine(here())
    for row in rows:
        mark = {True: "[green]✓[/]", False: "[red]✗[/]", None: "[yellow]–[/]"}[row.ok]
        room = max(30, width(console) - _DOCTOR)
        detail = textwrap.wrap(row.detail, room, break_on_hyphens=False) or [""]
        console.print(f"{mark} {row.what:<16} {escape(detail[0])}", soft_wrap=True)
        for line in detail[1:]:
            console.print(" " * _DOCTOR + escape(line), soft_wrap=True)
        for line in textwrap.wrap(row.remedy, room + _DOCTOR - 4, break_on_hyphens=False):
            console.print(f"  → {escape(line)}", soft_wrap=True)
    if all(row.ok is not False for row in rows):
        next_step(console, "nothing is missing; go on with", "list")
    return _OURS if any(row.ok is False for row in rows) else 0


# --- course staff ------------------------------------------------------------------------------


@click.command("skeletons")
@click.option("--check", "only_check", is_flag=True, help="write nothing; exit code 3 if one is stale")
@told
def make_skeletons(only_check: bool) -> int:
    """Cut labs/*/kernel.cu from the marked solutions."""
    from ..course import skeletons

    repository = here()
    stale = skeletons.make(repository.root, only_check)
    for skeleton in stale:
        click.echo(f"{'stale' if only_check else 'wrote'} {skeleton.path.relative_to(repository.root)}")
    if not stale:
        click.echo("every kernel.cu in labs/ is as its solution says")
    return 3 if only_check and stale else 0


@click.command("handouts")
@click.option("--out", type=File(), help="default: build/handouts")
@click.option("--seed", default="", help="vary the numbers of the questions, for instance by student")
@click.option("--language", default="", help="a file of handouts/languages/; default: course.toml's")
@click.option("--pdf/--no-pdf", default=None, help="default: PDF where Chromium is installed")
@told
def make_handouts(out: Path | None, seed: str, language: str, pdf: bool | None) -> int:
    """Write the handouts, for students and for staff."""
    from ..handouts import (
        pages,
    )  # only here: figures and typesetting take a second to import
    from ..handouts import (
        pdf as printing,
    )

    repository = here()
    wanted = pdf if pdf is not None else printing.browser() is not None
    out = out or repository.output / "handouts"
    pages.make(
        repository.root, out, seed=seed, language=language, pdf=wanted,
        tell=lambda path: click.echo(_below(path, repository)),
    )  # fmt: skip
    if pdf is None and not wanted:
        click.echo(f"no PDF, as Chromium is missing; type: {printing.HOW_TO_GET}", err=True)
    return 0


@click.command("release")
@click.option("--out", type=File(), help="default: build/release")
@click.option("--pdf/--no-pdf", default=None, help="default: PDF where Chromium is installed")
@told
def make_release(out: Path | None, pdf: bool | None) -> int:
    """Pack the students' archive, with nothing they must not have."""
    from ..handouts import pdf as printing
    from ..staff import release

    repository = here()
    wanted = pdf if pdf is not None else printing.browser() is not None
    made = release.make(repository, out or repository.output / "release", pdf=wanted)
    click.echo(f"{_below(made, repository)} ({made.stat().st_size / 1e6:.1f} MB)")
    return 0


@click.command("ladder")
@click.option("--sandbox", "walls", type=click.Choice(KINDS), default="bwrap")
@told
def make_ladder(walls: str) -> int:
    """Time everything from a triple loop to cuBLAS on this GPU.

    Into datasets/.
    """
    from ..course import lab
    from ..grading import session  # ladder is not in a students' copy
    from ..run import run
    from ..staff import ladder

    repository = here()
    shop = session.prepare(repository, lab.find(repository), session.Wish("gpu", walls, measured=True))
    found = ladder.measure(shop)
    for rung in found.rungs:
        name = f"{rung.label} {run.size_name(rung.size)}"
        click.echo(
            f"{name:<40} {rung.milliseconds:12.4f} ms  {rung.gflops:10,.1f} GFLOP/s  ±{rung.spread:.2%}"
        )
    for absent in found.absent:
        click.echo(f"not measured: {absent}")
    click.echo(_below(ladder.write(repository, found), repository))
    for path in ladder.tell_stories(repository, shop.labs, found):
        click.echo(_below(path, repository))
    return 0


@click.command("new")
@click.argument("name")
@told
def make_new(name: str) -> int:
    """Start a lab from a template.

    One folder name in labs/, solutions/ and handouts/.
    """
    from ..staff import new_lab

    repository = here()
    for path in new_lab.create(repository.root, name):
        click.echo(f"wrote {_below(path, repository)}")
    solution = f"solutions/{name}/kernel.cu"
    next_step(
        screen(),
        "build its harness, and see what its solution gets",
        f"check LAB={name} FILE={solution}",
        "make",
    )
    return 0


def _below(path: Path, repository: Repository) -> str:
    return str(path.relative_to(repository.root) if path.is_relative_to(repository.root) else path)


def _staff() -> list[click.Command]:
    """A students' copy has no staff modules, so it offers none of these commands."""
    if not (Path(__file__).parents[1] / "staff").is_dir():
        return []
    from . import export as export_commands
    from . import grade as class_commands
    from . import performance

    found = [*class_commands.commands(), *performance.staff_commands(), export_commands.export,
             make_handouts, make_release, make_new, make_skeletons, make_ladder]  # fmt: skip
    _STAFF.update(command.name or "" for command in found)
    return found


_PARTS = [_student, _others, _staff]
