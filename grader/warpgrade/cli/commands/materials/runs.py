"""`warpgrade runs`: the measured runs that a lab's questions ask about."""

from __future__ import annotations

import click

from ....core.errors import ExitCode
from ....core.paths import here, typed
from ...command_groups import ListedCommand
from ...console import near
from ...error_reports import EXIT_CODES
from ...parameters import lab_argument


@click.command(cls=ListedCommand, position=20, epilog=EXIT_CODES)
@lab_argument
@click.option("--check", "only_check", is_flag=True, help="run nothing; exit code 3 if the file is stale")
def command(name: str, only_check: bool) -> int:
    """Measure the runs that a lab's questions ask about.

    Profiles the program of [profiled] in lab.toml, with and without each change in changes.toml, and writes
    solutions/LAB/runs.toml.
    """
    from ....course import lab
    from ....staff import recorded_runs

    repository = here()
    item = lab.named(repository, name)
    if only_check:
        fresh = recorded_runs.is_fresh(repository, item)
        click.echo(
            "the runs are up to date" if fresh else f"the runs are stale; {typed(f'runs {item.name}')}"
        )
        return ExitCode.DONE if fresh else ExitCode.INSTRUCTOR
    file = recorded_runs.record(repository, item, click.echo)
    click.echo(f"wrote {near(file)}")
    return ExitCode.DONE
