"""`warpgrade report`: pages and tables of saved grades."""

from __future__ import annotations

from pathlib import Path

import click

from ...core.paths import here
from .. import class_output
from ..command_groups import StaffCommand
from ..parameters import File


@click.command(cls=StaffCommand, position=4)
@click.option("--out", type=File(), help="default: build/grades")
def command(out: Path | None) -> int:
    """Write the pages and tables again from saved results.

    Needs no compiler and no GPU. Writes index.html, gradebook.csv and results.json.
    """
    from ...grading import saved_grades

    out = out or here().grades
    grades = saved_grades.load(out)
    class_output.write(grades, out)
    class_output.show(grades, out)
    return class_output.exit_code(grades)
