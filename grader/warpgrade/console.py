"""What every command of the command line shares: how errors end it, common options, the screen."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec

import click
from click.shell_completion import CompletionItem
from rich.console import Console

from . import terminal
from .errors import WarpgradeError
from .errors import __doc__ as errors_words
from .house import here
from .sandbox import KINDS, Stopped

P = ParamSpec("P")
STOPPED = 130
DEVICES = ("auto", "gpu", "emulator")
MOST = 100  # columns; longer lines are hard to read
EXIT_CODES = "Exit codes:\n\n\b\n" + "\n".join(
    line.strip() for line in (errors_words or "").splitlines() if line.startswith("    ")
)


def told(command: Callable[P, int]) -> Callable[P, None]:
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
        except (KeyboardInterrupt, Stopped):
            Console(stderr=True).print("stopped; the same command goes on where it was")
            sys.exit(STOPPED)
        except BrokenPipeError:  # `warpgrade list | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        sys.exit(status)

    return wrapped


def machine_options(command: Callable[P, None]) -> Callable[P, None]:
    device = "auto: a GPU for times if one answers"
    walls = "none: without walls, for code that you trust; written into the results"
    card = "the card that modelled times and occupancy are for: a name in grader/gpus/"
    options = (
        click.option("--device", type=click.Choice(DEVICES), default="auto", help=device),
        click.option("--sandbox", "walls", type=click.Choice(KINDS), default="bwrap", help=walls),
        click.option("--gpu", "gpu_model", default="h200", help=card),
    )
    for option in reversed(options):
        command = option(command)
    return command


class LabName(click.ParamType[str]):
    """A lab's name; the shell completes it."""

    name = "lab"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        names = sorted(path.parent.name for path in here().labs.glob("*/lab.toml"))
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def screen() -> Console:
    """Standard output. Colours only on a terminal, and not where NO_COLOR is set."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")  # a terminal that knows no ✓ gets a ?, not a stack trace
    return Console(highlight=False)


def width(console: Console) -> int:
    return max(40, min(MOST, console.width))


def program() -> str:
    """How this program is called from here: "warpgrade" where the shell finds it."""
    if shutil.which("warpgrade"):
        return "warpgrade"
    beside = Path(sys.prefix) / "bin" / "warpgrade"
    here = Path.cwd()
    return str(beside.relative_to(here)) if beside.is_relative_to(here) else str(beside)
