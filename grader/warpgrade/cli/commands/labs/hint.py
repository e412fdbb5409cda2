"""`warpgrade hint`: the next hint for a lab."""

from __future__ import annotations

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import screen, width
from ...parameters import lab_argument


@click.command(cls=ListedCommand, position=4)
@lab_argument
@click.argument("todo", required=False, type=int)
def command(name: str, todo: int | None) -> int:
    """Show the next hint.

    With TODO: the hint for that number in kernel.cu.
    """
    from ....course import lab
    from ....student import hints

    repository, console = here(), screen()
    chosen = lab.named(repository, name)
    for line in hints.lines(repository, chosen, todo, width(console)):
        console.print(line, soft_wrap=True)
    return 0
