"""`warpgrade new`: a lab from a template."""

from __future__ import annotations

import click

from ...core.paths import here
from ..command_groups import StaffCommand
from ..console import below, next_step, screen


@click.command(cls=StaffCommand, position=10)
@click.argument("name")
def command(name: str) -> int:
    """Create a lab from a template.

    Writes its folders in labs/ and solutions/, and its handout.
    """
    from ...staff import new_lab

    repository = here()
    for path in new_lab.create(repository.root, name):
        click.echo(f"wrote {below(path, repository.root)}")
    solution = f"solutions/{name}/kernel.cu"
    next_step(
        screen(),
        "build its harness, and grade its solution",
        f"check LAB={name} FILE={solution}",
        "make",
    )
    return 0
