"""`warpgrade lab …`: one file for each command."""

from __future__ import annotations

import click

from ...command_groups import StaffGroup


@click.group(cls=StaffGroup, package=__name__, position=13)
def command() -> None:
    """Look after a lab that you write."""
