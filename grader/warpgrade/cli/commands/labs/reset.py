"""`warpgrade reset`: restore a lab's skeleton."""

from __future__ import annotations

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import near
from ...parameters import lab_argument


@click.command(cls=ListedCommand, position=11)
@lab_argument
def command(name: str) -> int:
    """Restore a lab's original file; yours is kept beside it."""
    from ....course import lab
    from ....student import hand_in, progress

    repository = here()
    done = hand_in.reset(repository, lab.named(repository, name))
    if done:
        progress.forget_check(repository, name)
    for file, copy in done:
        click.echo(
            f"restored {near(file)}; your version is {near(copy)}" if copy.exists() else f"wrote {near(file)}"
        )
    if not done:
        click.echo(f"{name} is unchanged")
    return 0
