"""Output of all commands: standard output, standard error, and the command to type next."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.paths import program

if TYPE_CHECKING:
    from rich.console import Console

MOST = 100  # columns; longer lines are hard to read


def next_step(console: Console, why: str, command: str, tool: str = "") -> None:
    """Prints which command to type next. `tool`: the program, if it is not this one."""
    console.print(f"\n[dim]{escape(why)}:[/]", soft_wrap=True)
    console.print(f"  [bold cyan]{escape(f'{tool or program()} {command}')}[/]", soft_wrap=True)


def screen(columns: int | None = None) -> Console:
    """Standard output. Coloured only on a terminal without NO_COLOR."""
    from rich.console import Console  # a slow import, which the help does not need

    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")  # shows "?" in place of ✓ if the terminal lacks it
    return Console(highlight=False, emoji=False, width=columns)  # kernel.cu:100: is no emoji


def aside() -> Console:
    """Standard error, for messages beside output that programs read."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, emoji=False)


def escape(text: str) -> str:
    """Text without the meaning that rich gives to brackets."""
    from rich.markup import escape as escaped

    return escaped(text)


def width(console: Console) -> int:
    return max(40, min(MOST, console.width))


def near(path: Path) -> str:
    """The path to type: relative if it is below the current folder."""
    return below(path, Path.cwd())


def below(path: Path, folder: Path) -> str:
    """The path, relative to `folder` if it is below it."""
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)
