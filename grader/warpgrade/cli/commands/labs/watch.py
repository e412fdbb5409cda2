"""`warpgrade watch`: check a kernel whenever its file is saved."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import near, screen
from ...error_reports import EXIT_CODES
from ...parameters import File, MachineOptions, lab_argument, machine_options

if TYPE_CHECKING:  # a help text is quicker without it
    from rich.console import Console

_POLL = 0.3  # seconds between two checks for a save
_REPLACED = 3  # checks at most in which an editor replaces the file


@click.command(cls=ListedCommand, position=2, epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@machine_options
@click.option("--times", type=int, default=0, hidden=True, help="stop after this many checks")
def command(name: str, file: Path | None, machine: MachineOptions, times: int) -> int:
    """Check again at each save, until Ctrl-C."""
    from ... import kernel_check

    subject = kernel_check.subject_of(here(), name, file)
    console = screen()
    session = kernel_check.session_for(subject, machine, console)
    done = 0
    while True:
        before = _stamp(subject.path)
        if console.is_terminal:
            console.clear()
        result = kernel_check.check(subject, session, console, quiet=False)
        kernel_check.print_advice(subject, result, console)
        done += 1
        if done == times:
            return kernel_check.exit_code(result)
        console.print("\n[dim]waiting for the next save; Ctrl-C stops[/]")
        _await_save(subject.path, before, console)


def _await_save(path: Path, before: tuple[int, int] | None, console: Console) -> None:
    """Returns when the file has another text. Says once that it is empty or gone, if it stays so."""
    missing = 0
    while (found := _stamp(path)) in (before, None):
        missing = 0 if found else missing + 1
        if missing == _REPLACED:
            state = "is empty" if path.exists() else "is gone"
            console.print(f"{near(path)} {state}", soft_wrap=True, markup=False)
        time.sleep(_POLL)


def _stamp(path: Path) -> tuple[int, int] | None:
    """A value that changes with each save; None while an editor replaces the file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if found.st_size else None
