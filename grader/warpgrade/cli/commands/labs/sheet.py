"""`warpgrade sheet`: a student's own questions."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from ....core.errors import UsageError
from ....core.paths import here, typed
from ...command_groups import ListedCommand
from ...console import near
from ...parameters import File, LabName


@click.command(cls=ListedCommand, position=16)
@click.argument("name", metavar="LAB", type=LabName())
@click.argument("student")
@click.argument("file", required=False, type=File())
def command(name: str, student: str, file: Path | None) -> int:
    """Write your own questions of a lab of questions.

    STUDENT: the name or login that your course knows you by. FILE: default labs/LAB/answers.toml.
    """
    from ....answers import stages
    from ....course import lab
    from ....records import LabKind

    repository = here()
    chosen = lab.named(repository, name)
    if chosen.kind is not LabKind.ANSWERS:
        raise UsageError(f"{chosen.name} has no questions", remedy=typed(f"check {chosen.name}"))
    path = file or repository.labs / chosen.name / chosen.files[0]
    stages.write_sheet(repository, chosen, student, path)
    check = shlex.join(["check", chosen.name, *([str(file)] if file else [])])
    click.echo(f"wrote {near(path)}; fill it in, then {typed(check)}")
    return 0
