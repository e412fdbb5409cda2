"""`warpgrade lab …`: one file for each command."""

from __future__ import annotations

import click

from ....command_groups import FolderGroup


@click.group(cls=FolderGroup, package=__name__, position=13)
def command() -> None:
    """Look after a lab that you write."""
