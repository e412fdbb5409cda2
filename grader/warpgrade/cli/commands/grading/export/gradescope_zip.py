"""`warpgrade export gradescope-zip`: the autograder to upload to Gradescope."""

from __future__ import annotations

from pathlib import Path

import click

from .....core.paths import here
from ....command_groups import ListedCommand
from ....parameters import File, LabName


@click.command(cls=ListedCommand, position=5)
@click.argument("name", metavar="LAB", type=LabName())
@click.option("--out", type=File(), help="default: build/exports/gradescope-LAB.zip")
def command(name: str, out: Path | None) -> int:
    """Make the autograder to upload to Gradescope.

    The archive holds setup.sh, run_autograder and all files that they need.
    """
    from .....core import store
    from .....course import lab
    from .....export import gradescope

    repository = here()
    path = out or repository.output / "exports" / f"gradescope-{name}.zip"
    content = gradescope.autograder(repository, lab.named(repository, name))
    store.write_bytes(path, content)
    click.echo(f"wrote {path} ({len(content) / 1e6:.1f} MB); it holds the solution: for staff only")
    return 0
