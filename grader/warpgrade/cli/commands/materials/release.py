"""`warpgrade release`: the students' archive."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.paths import here
from ... import class_output
from ...command_groups import ListedCommand
from ...console import below
from ...parameters import File


@click.command(cls=ListedCommand, position=9)
@click.option("--out", type=File(), help="default: build/release")
@click.option("--pdf/--no-pdf", default=None, help="default: PDF if Chromium is installed")
def command(out: Path | None, pdf: bool | None) -> int:
    """Pack the students' archive: no solutions, no hidden cases."""
    from ....course import lab
    from ....handouts.printing.chromium import browser
    from ....staff import release
    from ...main import student_modules

    repository = here()
    wanted = pdf if pdf is not None else browser() is not None
    made = release.make(repository, out or repository.output / "release", student_modules(), pdf=wanted)
    class_output.show_missing_secret(repository, lab.find(repository))
    click.echo(f"{below(made, repository.root)} ({made.stat().st_size / 1e6:.1f} MB)")
    return 0
