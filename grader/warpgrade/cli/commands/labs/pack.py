"""`warpgrade pack`: the archive to hand in."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import next_step, screen
from ...parameters import File, LabName


@click.command(cls=ListedCommand, position=10)
@click.argument("names", metavar="[LAB]...", type=LabName(), nargs=-1)
@click.option("--out", type=File(), help="default: labs.zip, or LAB.zip for one lab")
def command(names: tuple[str, ...], out: Path | None) -> int:
    """Make the archive to hand in.

    It holds these labs, by default every lab that you have worked on.
    """
    from ....core import store
    from ....course import lab
    from ....student import hand_in

    repository = here()
    labs = tuple(lab.named(repository, name) for name in dict.fromkeys(names))
    packed = hand_in.pack(repository, labs or lab.find(repository))
    path = out or Path(f"{labs[0].name if len(labs) == 1 else 'labs'}.zip")
    store.write_bytes(path, packed.content)
    console = screen()
    console.print(f"wrote {path}: {', '.join(packed.labs)}", markup=False, soft_wrap=not console.is_terminal)
    if packed.untouched:
        untouched = f"left out, because unchanged: {', '.join(packed.untouched)}"
        console.print(untouched, markup=False, soft_wrap=not console.is_terminal)
    next_step(console, "hand in this file; the points of your last checks", "list")
    return 0
