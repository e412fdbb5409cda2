"""What every command prints through: the screen, standard error, and the next step."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.paths import program

if TYPE_CHECKING:
    from rich.console import Console

MOST = 100  # columns; longer lines are hard to read


def next_step(console: Console, why: str, command: str, tool: str = "") -> None:
    """The end of an output: what to type next. `command`: without the program's name, ours or `tool`."""
    console.print(f"\n[dim]{escape(why)}:[/]", soft_wrap=True)
    console.print(f"  [bold cyan]{escape(f'{tool or program()} {command}')}[/]", soft_wrap=True)


def screen(columns: int | None = None) -> Console:
    """Standard output. Colours only on a terminal, and not where NO_COLOR is set."""
    from rich.console import Console  # a third of the time that the help takes

    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")  # a terminal without ✓ shows a ?
    return Console(highlight=False, width=columns)


def aside() -> Console:
    """Standard error: messages beside an output that a program may read."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def escape(text: str) -> str:
    """Text that is shown as it is, not read as markup."""
    from rich.markup import escape as escaped

    return escaped(text)


def width(console: Console) -> int:
    return max(40, min(MOST, console.width))


def near(path: Path) -> str:
    """A path as one would type it: relative where it lies below the current folder."""
    return below(path, Path.cwd())


def below(path: Path, folder: Path) -> str:
    """A path relative to `folder` where it lies below it."""
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)
