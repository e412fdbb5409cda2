"""What every command of the command line shares: how errors end it, common options, the screen."""

from __future__ import annotations

import functools
import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, ParamSpec

import click
from click.shell_completion import CompletionItem

from ..core.errors import GraderError, Stopped, WarpgradeError
from ..core.errors import __doc__ as errors_words
from ..core.paths import here, program
from ..sandbox.bubblewrap import KINDS

if TYPE_CHECKING:
    from rich.console import Console

P = ParamSpec("P")
STOPPED = 130
DEVICES = ("auto", "gpu", "emulator")
_ERROR = 72  # columns of an error that click shows
MOST = 100  # columns; longer lines are hard to read
EXIT_CODES = "Exit codes:\n\n\b\n" + "\n".join(
    line.strip() for line in (errors_words or "").splitlines() if line.startswith("    ")
)


def told(command: Callable[P, int], stopped: str = "stopped") -> Callable[P, None]:
    """Errors become a message and an exit code here and nowhere else."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            status = command(*args, **kwargs)
        except WarpgradeError as error:
            _end(error)
        except (KeyboardInterrupt, Stopped):
            aside().print(f"\n{stopped}" if sys.stderr.isatty() else stopped)  # behind the terminal's ^C
            sys.exit(STOPPED)
        except BrokenPipeError:  # `warpgrade list | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        except OSError as error:  # where nobody expected a file to be locked away or a disk to be full
            if error.filename is None:
                raise
            why = "look at its permissions, and for room on the disk"
            _end(GraderError(f"cannot be used: {error.strerror}", file=error.filename, remedy=why))
        sys.exit(status)

    return wrapped


def resumed(command: Callable[P, int]) -> Callable[P, None]:
    """The same for what keeps each step."""
    return told(command, "stopped; the same command goes on where it was")


def _end(error: WarpgradeError) -> NoReturn:
    from ..report import terminal

    console = aside()
    for line in terminal.problem_lines(error.problem(), width(console) if console.is_terminal else 0):
        console.print(line, soft_wrap=True)
    sys.exit(error.exit_code)


def next_step(console: Console, why: str, command: str, tool: str = "") -> None:
    """The end of an output: what to type next. `command`: without the program's name, ours or `tool`."""
    console.print(f"\n[dim]{escape(why)}:[/]", soft_wrap=True)
    console.print(f"  [bold cyan]{escape(f'{tool or program()} {command}')}[/]", soft_wrap=True)


class Device(click.ParamType[str]):
    """auto, gpu, emulator, or the number of one GPU."""

    name = "device"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return f"[{'|'.join(DEVICES)}|N]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in DEVICES and not value.isdigit():
            self.fail(f"{value!r} is none of {', '.join(DEVICES)}, and no GPU's number", param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(word) for word in DEVICES if word.startswith(incomplete)]


def machine_options(command: Callable[P, None]) -> Callable[P, None]:
    device = "auto: a GPU for times if one answers; N: only that one of several"
    walls = "none: without walls, for code that you trust; written into the results"
    card = "the card that modelled times and occupancy are for: a name in grader/gpus/"
    options = (
        click.option("--device", type=Device(), default="auto", help=device),
        click.option("--sandbox", "walls", type=click.Choice(KINDS), default="bwrap", help=walls),
        click.option("--gpu", "gpu_model", default="h200", help=card),
    )
    for option in reversed(options):
        command = option(command)
    return command


class File(click.Path):
    """A file's or a folder's name. An empty one is a variable of the shell that nobody has set, not the
    current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        if value == "":
            self.fail("an empty name; for the current folder type a dot", param, ctx)
        return super().convert(value, param, ctx)


class LabName(click.ParamType[str]):
    """A lab's name, or what means one (see lab.meant); the shell completes it."""

    name = "lab"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from ..course.lab import meant

        found = meant(value, here().lab_names())
        return found[0] if len(found) == 1 else value  # else lab.named says what is wrong

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in here().lab_names() if name.startswith(incomplete)]


def lab_argument(command: Callable[P, None]) -> Callable[P, None]:
    """LAB; in a lab's own folder it may be left out."""
    argument = click.argument("name", metavar="[LAB]", type=LabName(), required=False, callback=_lab_meant)
    return argument(command)


def _lab_meant(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    if value is not None:
        return value
    folder = Path.cwd()
    if folder.parent == here().labs and folder.name in here().lab_names():
        return folder.name
    names = textwrap.fill(
        f"which lab? They are: {', '.join(here().lab_names())}", _ERROR, break_on_hyphens=False
    )
    raise click.UsageError(f"{names}\n  → {program()} list", ctx)


def screen(columns: int | None = None) -> Console:
    """Standard output. Colours only on a terminal, and not where NO_COLOR is set."""
    from rich.console import Console  # a third of the time that the help takes

    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")  # a terminal that knows no ✓ gets a ?, not a stack trace
    return Console(highlight=False, width=columns)


def aside() -> Console:
    """Standard error: what is said beside an output that a program may read."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def escape(text: str) -> str:
    """Text that is shown as it is, not read as markup."""
    from rich.markup import escape as escaped

    return escaped(text)


def width(console: Console) -> int:
    return max(40, min(MOST, console.width))


def near(path: Path) -> str:
    """A path as one would type it: from here where it lies below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
