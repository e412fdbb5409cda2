"""`warpgrade classroom`: grade what was pushed, for a service that a course works with."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ....core.paths import here
from ....export import classrooms
from ...command_groups import ListedCommand
from ...error_reports import EXIT_CODES
from ...parameters import File, LabName, sandbox_option


@click.command(cls=ListedCommand, position=20, epilog=EXIT_CODES)
@click.argument("service", type=click.Choice(classrooms.names()))
@click.argument("name", metavar="LAB", type=LabName())
@click.argument("file", required=False, type=File())
@click.option("--by", default="", help="who handed FILE in; default: the name in a sheet of answers")
@click.option("--out", type=File(), help="default: standard output")
@sandbox_option
def command(service: str, name: str, file: Path | None, by: str, out: Path | None, sandbox: str) -> int:
    """Grade a push, for a classroom service.

    FILE may be a folder. The exit code is 0 also where points are missing: the result tells of them.
    """
    from ....course import lab
    from ...export_commands import graded, write

    repository = here()
    chosen = lab.named(repository, name)
    result = graded(chosen, file or repository.labs / chosen.name / chosen.files[0], by, sandbox)
    write(classrooms.text_of(service)(chosen, result, os.environ), out)
    return 0
