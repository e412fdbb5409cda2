"""`warpgrade skeletons`: students' files, cut from the solutions."""

from __future__ import annotations

import click

from ....core.errors import ExitCode
from ....core.paths import here
from ...command_groups import ListedCommand


@click.command(cls=ListedCommand, position=11)
@click.option("--check", "only_check", is_flag=True, help="write nothing; exit code 3 if one is stale")
def command(only_check: bool) -> int:
    """Cut labs/*/kernel.cu from the marked solutions."""
    from ....solution import skeletons

    repository = here()
    stale = skeletons.make(repository.root, only_check)
    for skeleton in stale:
        click.echo(f"{'stale' if only_check else 'wrote'} {skeleton.path.relative_to(repository.root)}")
    if not stale:
        click.echo("every kernel.cu in labs/ is up to date")
    return ExitCode.INSTRUCTOR if only_check and stale else ExitCode.DONE
