"""`warpgrade handouts`: handouts for students and staff."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import below
from ...parameters import File


@click.command(cls=ListedCommand, position=8)
@click.option("--out", type=File(), help="default: build/handouts")
@click.option("--seed", default="", help="vary the numbers of the questions, for instance by student")
@click.option("--language", default="", help="a file of handouts/languages/; default: course.toml's")
@click.option("--pdf/--no-pdf", default=None, help="default: PDF if Chromium is installed")
def command(out: Path | None, seed: str, language: str, pdf: bool | None) -> int:
    """Write the handouts, for students and for staff."""
    # A slow import, so other commands must not do it.
    from ....handouts import pages
    from ....handouts.chromium import INSTALL_COMMAND, browser

    repository = here()
    wanted = pdf if pdf is not None else browser() is not None
    out = out or repository.output / "handouts"
    pages.make(
        repository.root, out, seed=seed, language=language, pdf=wanted,
        report=lambda path: click.echo(below(path, repository.root)),
    )  # fmt: skip
    if pdf is None and not wanted:
        click.echo(f"no PDF, because Chromium is missing; type: {INSTALL_COMMAND}", err=True)
    return 0
