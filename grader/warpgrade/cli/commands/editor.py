"""`warpgrade editor`: settings for a student's editor."""

from __future__ import annotations

import click

from ...core.paths import here
from ..command_groups import StudentCommand
from ..console import near


@click.command(cls=StudentCommand, position=9)
def command() -> int:
    """Set up your editor for the kernels.

    Writes compile_commands.json, which clangd reads.
    """
    from ...student import editor

    click.echo(f"wrote {near(editor.write(here()))}")
    return 0
