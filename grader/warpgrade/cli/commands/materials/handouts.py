"""`warpgrade handouts`: handouts for students and staff."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.paths import here
from ... import class_output
from ...command_groups import ListedCommand
from ...console import below
from ...parameters import File


@click.command(cls=ListedCommand, position=8)
@click.argument("names", metavar="[PAGE]...", nargs=-1)
@click.option("--out", type=File(), help="default: build/handouts")
@click.option("--seed", default="", help="vary the numbers of the questions, for instance by student")
@click.option("--language", default="", help="a file of handouts/languages/; default: course.toml's")
@click.option("--pdf/--no-pdf", default=None, help="default: PDF if Chromium is installed")
@click.option(
    "--book", "books", type=click.Choice(("student", "staff", "key")), multiple=True, is_flag=False,
    flag_value="student", help="also one PDF of all pages, with contents and index; default: student",
)  # fmt: skip
def command(
    names: tuple[str, ...], out: Path | None, seed: str, language: str, pdf: bool | None,
    books: tuple[str, ...],
) -> int:  # fmt: skip
    """Write the handouts, for students and for staff.

    Beside the pages stand their figures as SVG files. PAGE: this page alone, as 07 for that lab's.
    """
    # A slow import, so other commands must not do it.
    from ....handouts import course, pages
    from ....handouts.printing.chromium import INSTALL_COMMAND, browser

    repository = here()
    wanted = pdf if pdf is not None else browser() is not None
    out = out or repository.output / "handouts"
    pages.make(
        repository.root, out, seed=seed, language=language, pdf=wanted,
        books=[pages.Edition(name) for name in books], only=names,
        report=lambda path: click.echo(below(path, repository.root)),
    )  # fmt: skip
    class_output.show_notes(course.doubts(repository.root))
    if pdf is None and not wanted:
        click.echo(f"no PDF, because Chromium is missing; type: {INSTALL_COMMAND}", err=True)
    return 0
