"""`warpgrade export …`: one file for each command."""

from __future__ import annotations

import click

from ....command_groups import FolderGroup


@click.group(cls=FolderGroup, package=__name__, position=7)
def command() -> None:
    """Export results to Gradescope, Canvas, Moodle and others."""
