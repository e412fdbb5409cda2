"""`warpgrade reset`: a lab as it was given out."""

from __future__ import annotations

import click

from ...core.paths import here
from ..command_groups import StudentCommand
from ..console import near
from ..parameters import lab_argument


@click.command(cls=StudentCommand, position=8)
@lab_argument
def command(name: str) -> int:
    """Put a lab back as it was given out; your file is kept beside it."""
    from ...course import lab
    from ...student import hand_in, progress

    repository = here()
    done = hand_in.reset(repository, lab.named(repository, name))
    if done:
        progress.forget_check(repository, name)
    for file, copy in done:
        click.echo(f"{near(file)} is new; yours is {near(copy)}" if copy.exists() else f"wrote {near(file)}")
    if not done:
        click.echo(f"{name} is as it was given out")
    return 0
