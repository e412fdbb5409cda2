"""`warpgrade pack`: the archive to hand in."""

from __future__ import annotations

from pathlib import Path

import click

from ...core.paths import here
from ..command_groups import StudentCommand
from ..console import next_step, screen
from ..parameters import File


@click.command(cls=StudentCommand, position=7)
@click.option("--out", type=File(), help="default: labs.zip")
def command(out: Path | None) -> int:
    """Make the archive to hand in.

    It holds every lab that you have worked on.
    """
    from ...core import store
    from ...course import lab
    from ...student import hand_in

    repository = here()
    packed = hand_in.pack(repository, lab.find(repository))
    path = out or Path("labs.zip")
    store.write_bytes(path, packed.content)
    console = screen()
    console.print(f"wrote {path}: {', '.join(packed.labs)}", markup=False, soft_wrap=not console.is_terminal)
    if packed.untouched:
        untouched = f"left out, because unchanged: {', '.join(packed.untouched)}"
        console.print(untouched, markup=False, soft_wrap=not console.is_terminal)
    next_step(console, "hand in this file; the points of your last checks", "list")
    return 0
