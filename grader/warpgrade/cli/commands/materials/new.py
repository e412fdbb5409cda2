"""`warpgrade new`: a lab from a template."""

from __future__ import annotations

import click

from ....core.paths import here
from ....staff import new_lab
from ...command_groups import ListedCommand
from ...console import below, next_step, screen


@click.command(cls=ListedCommand, position=10)
@click.argument("name")
@click.option(
    "--like",
    type=click.Choice(new_lab.templates()),
    default=new_lab.DEFAULT,
    show_default=True,
    help="the small lab that the new one begins as",
)
def command(name: str, like: str) -> int:
    """Create a lab from a template.

    Writes its folders in labs/ and solutions/, and its handout: a small lab that is complete and can be
    changed. docs/authors.md continues from there.
    """
    from ....course import lab
    from ....records import LabKind

    repository = here()
    for path in new_lab.create(repository.root, name, like):
        click.echo(f"wrote {below(path, repository.root)}")
    made = lab.load(repository.labs / name)
    if made.kind is LabKind.ANSWERS:
        next_step(screen(), "see the questions that a student gets", f"sheet {name} alice build/answers.toml")
        return 0
    solution = f"solutions/{name}/{made.files[0]}"
    next_step(
        screen(),
        "build its harness, and grade its solution",
        f"check LAB={name} FILE={solution}",
        "make",
    )
    return 0
