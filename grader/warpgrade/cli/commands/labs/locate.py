"""`warpgrade locate`: the line of a kernel whose change makes its cases right."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import aside, next_step, screen
from ...error_reports import EXIT_CODES
from ...parameters import File, MachineOptions, lab_argument, machine_options


@click.command(cls=ListedCommand, position=5, epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@machine_options
@click.option("--seconds", type=click.FloatRange(min=0), default=60, help="how long to look; default: 60")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead")
def command(name: str, file: Path | None, machine: MachineOptions, seconds: float, as_json: bool) -> int:
    """Name the line where a wrong kernel goes wrong.

    Tries hundreds of small edits of a wrong kernel: another variable, comparison or number, a barrier more.
    If one makes the visible cases right, its line is where the mistake is. FILE: default labs/LAB/kernel.cu.
    """
    from ....core.serialize import dumps, to_data
    from ... import kernel_check

    subject = kernel_check.subject_of(here(), name, file)
    console = aside() if as_json else screen()
    session = kernel_check.session_for(subject, machine, console)
    result = kernel_check.check(subject, session, console, quiet=True)
    found = kernel_check.located(subject, session, result, console, seconds)
    if as_json:
        click.echo(dumps({"format": 1, "lab": subject.lab.name, "located": to_data(found)}), nl=False)
    elif found:
        kernel_check.print_located(subject, found, console)
        next_step(console, "change it, then", subject.command("check"))
    else:
        words = (
            "No small edit alone makes every visible case right: several things are wrong, or one is missing."
        )
        console.print(words, soft_wrap=True)
        next_step(console, "for a nudge", f"hint {subject.lab.name}")
    return kernel_check.exit_code(result)
