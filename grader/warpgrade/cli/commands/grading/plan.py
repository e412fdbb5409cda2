"""`warpgrade plan`: how long a class takes on a cluster."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...error_reports import EXIT_CODES
from ...parameters import File

if TYPE_CHECKING:
    from ....grading.cluster.plan import Plan


@click.command(cls=ListedCommand, position=17, epilog=EXIT_CODES)
@click.option("--students", type=click.IntRange(1), required=True, help="submissions: students times labs")
@click.option("--nodes", type=click.IntRange(1), required=True)
@click.option("--cpus", type=click.IntRange(1), default=32, help="of a node")
@click.option("--gpus", type=click.IntRange(0), default=0, help="of all nodes; 0: times are modelled")
@click.option(
    "--seconds", type=click.FloatRange(0), help="of one core for one submission; default: as measured"
)
@click.option("--cluster", type=File(), help="what a task may take; default: cluster.toml")
@click.option("--costs", "file", type=File(), help="measured costs; default: those that come with the grader")
def command(
    students: int,
    nodes: int,
    cpus: int,
    gpus: int,
    seconds: float | None,
    cluster: Path | None,
    file: Path | None,
) -> int:
    """Say how long a class takes on a cluster.

    Also what holds it up, and how long a task should be. It reckons with measured costs of one submission and
    of one task; nothing is run.
    """
    from ....grading.cluster import costs, plan, settings
    from ....grading.progress import duration

    task = settings.load(cluster, here().root / settings.FILE, {}).emulate
    known = costs.load(file) if file else costs.load()
    if seconds is not None:
        known = dataclasses.replace(known, compile=0.0, emulate=seconds)
    size = plan.ClusterSize(nodes, cpus, gpus)
    found = plan.plan(students, size, task, known)
    about = f"{students:,} submissions on {nodes:,} nodes of {cpus} cores"
    click.echo(f"{about}{f', {gpus} GPUs' if gpus else ''}: {duration(found.seconds)}")
    _show_stages(found, timed=gpus > 0)
    best = plan.best_length(students, size, task, known)
    if best.seconds < 0.95 * found.seconds:
        quicker = f"quicker with {best.chunk:,} in a task: {duration(best.seconds)}"
        click.echo(f"{quicker}; write chunk = {best.chunk} into cluster.toml")
    return 0


def _show_stages(found: Plan, timed: bool) -> None:
    """How long each stage takes, what holds the class up, and how much a task holds."""
    from ....grading.progress import duration

    stages = {"reading the class": found.admission, "compiling and emulating": found.emulation}
    stages |= {"timing what is left after that": found.timing} if timed else {}
    for what, seconds in {**stages, "pages and tables": found.report}.items():
        click.echo(f"  {what:<42} {duration(seconds):>12}")
    click.echo(f"most work: {found.bottleneck}")
    click.echo(f"a task holds {found.chunk:,} submissions")
