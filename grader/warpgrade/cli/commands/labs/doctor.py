"""`warpgrade doctor`: what is missing on this machine."""

from __future__ import annotations

import textwrap

import click

from ....core.errors import ExitCode
from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import escape, next_step, screen, width

_DETAIL = 19  # columns before a row's detail


@click.command(cls=ListedCommand, position=15)
def command() -> int:
    """What is missing on this machine, and how to get it."""
    from ... import machine_checks

    console = screen()
    rows = machine_checks.examine(here())
    for row in rows:
        mark = {True: "[green]✓[/]", False: "[red]✗[/]", None: "[yellow]–[/]"}[row.ok]
        columns = max(30, width(console) - _DETAIL)
        detail = textwrap.wrap(row.detail, columns, break_on_hyphens=False) or [""]
        console.print(f"{mark} {row.what:<16} {escape(detail[0])}", soft_wrap=True)
        for line in detail[1:]:
            console.print(" " * _DETAIL + escape(line), soft_wrap=True)
        for line in textwrap.wrap(row.remedy, columns + _DETAIL - 4, break_on_hyphens=False):
            console.print(f"  → {escape(line)}", soft_wrap=True)
    if all(row.ok is not False for row in rows):
        next_step(console, "nothing is missing; continue with", "list")
    return ExitCode.GRADER if any(row.ok is False for row in rows) else ExitCode.DONE
