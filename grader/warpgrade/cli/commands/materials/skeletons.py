"""`warpgrade skeletons`: students' files, cut from the solutions."""

from __future__ import annotations

import click

from ....core.errors import ExitCode
from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import near


@click.command(cls=ListedCommand, position=11)
@click.option("--check", "only_check", is_flag=True, help="write nothing; exit code 3 if one is stale")
def command(only_check: bool) -> int:
    """Cut labs/*/kernel.cu from the marked solutions.

    What somebody has filled in is kept beside it.
    """
    from ....solution import skeletons

    repository = here()
    stale = skeletons.make(repository.root, only_check)
    for skeleton, copy in stale:
        kept = f"; what it held is in {near(copy)}" if copy else ""
        click.echo(f"{'stale' if only_check else 'wrote'} {near(skeleton.path)}{kept}")
    if not stale:
        click.echo("every kernel.cu in labs/ is up to date")
    return ExitCode.INSTRUCTOR if only_check and stale else ExitCode.DONE
