"""`warpgrade ladder`: times of every way to compute a product."""

from __future__ import annotations

import click

from ...core.paths import here
from ..command_groups import StaffCommand
from ..console import below
from ..parameters import sandbox_option


@click.command(cls=StaffCommand, position=12)
@sandbox_option
def command(sandbox: str) -> int:
    """Time everything from a triple loop to cuBLAS on this GPU.

    Into datasets/.
    """
    from ...course import lab
    from ...grading.session import Options, prepare  # ladder is not in a students' copy
    from ...run import run
    from ...staff import ladder

    repository = here()
    session = prepare(repository, lab.find(repository), Options("gpu", sandbox, measured=True))
    found = ladder.measure(session)
    for rung in found.rungs:
        name = f"{rung.label} {run.size_name(rung.size)}"
        click.echo(
            f"{name:<40} {rung.milliseconds:12.4f} ms  {rung.gflops:10,.1f} GFLOP/s  ±{rung.spread:.2%}"
        )
    for absent in found.absent:
        click.echo(f"not measured: {absent}")
    click.echo(below(ladder.write(repository, found), repository.root))
    for path in ladder.tell_stories(repository, session.labs, found):
        click.echo(below(path, repository.root))
    return 0
