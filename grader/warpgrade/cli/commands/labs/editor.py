"""`warpgrade editor`: settings for a student's editor."""

from __future__ import annotations

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import near


@click.command(cls=ListedCommand, position=12)
def command() -> int:
    """Set up your editor for the kernels.

    Writes compile_commands.json, which clangd reads, and .vscode/tasks.json: VS Code then runs checks and
    underlines what they find. Tasks of your own in that file stay.
    """
    from ....student import clangd, vscode

    for write in (clangd.write, vscode.write):
        click.echo(f"wrote {near(write(here()))}")
    return 0
