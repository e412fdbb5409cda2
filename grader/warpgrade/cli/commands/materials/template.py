"""`warpgrade template`: folders for a classroom service."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.paths import here
from ....export import classrooms
from ...command_groups import ListedCommand
from ...console import near
from ...parameters import File


@click.command(cls=ListedCommand, position=30)
@click.argument("service", type=click.Choice(classrooms.names()))
@click.option("--out", type=File(), help="default: build/templates/SERVICE")
def command(service: str, out: Path | None) -> int:
    """Write the template repository for a classroom service.

    The folder student/ is the repository that each student gets: the students' archive, ready to grade each
    push. The folder staff/, where a service needs one, is for your side of it.
    """
    from ....staff import classroom_template
    from ...main import student_modules

    repository = here()
    folder = out or repository.output / "templates" / service
    for made in classroom_template.make(repository, service, folder, student_modules()):
        click.echo(f"wrote {near(made)}/")
    return 0
