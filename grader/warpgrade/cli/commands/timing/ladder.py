"""`warpgrade ladder`: times of the same product from a triple loop to cuBLAS."""

from __future__ import annotations

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import below
from ...parameters import sandbox_option


@click.command(cls=ListedCommand, position=12)
@sandbox_option
def command(sandbox: str) -> int:
    """Time the same product from a triple loop to cuBLAS on this GPU.

    Writes datasets/reference-timings/ladder/GPU.json and the tables of times in the solutions.
    """
    from ....course import lab
    from ....grading.session import Options, prepare
    from ....run.timed_launch import size_name
    from ....staff import ladder

    repository = here()
    session = prepare(repository, lab.find(repository), Options("gpu", sandbox, measured=True))
    found = ladder.measure(session)
    for row in found.timings:
        name = f"{row.label} {size_name(row.size)}"
        click.echo(f"{name:<40} {row.milliseconds:12.4f} ms  {row.gflops:10,.1f} GFLOP/s  ±{row.spread:.2%}")
    for absent in found.absent:
        click.echo(f"not measured: {absent}")
    click.echo(below(ladder.write(repository, found), repository.root))
    for path in ladder.update_solutions(repository, session.labs, found):
        click.echo(below(path, repository.root))
    return 0
