"""`warpgrade check`: check one kernel."""

from __future__ import annotations

from pathlib import Path

import click

from ...core.paths import here
from ..command_groups import StudentCommand
from ..console import aside, screen
from ..error_reports import EXIT_CODES
from ..parameters import File, lab_argument, machine_options


@click.command(cls=StudentCommand, position=1, epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@machine_options
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead")
def command(name: str, file: Path | None, device: str, sandbox: str, gpu_model: str, as_json: bool) -> int:
    """Check one kernel and say what is wrong with it.

    FILE: default labs/LAB/kernel.cu.
    """
    from ...export import check_json
    from .. import kernel_check

    subject = kernel_check.subject_of(here(), name, file)
    console = screen()
    notes = aside() if as_json else console
    session = kernel_check.session_for(subject, device, sandbox, gpu_model, notes)
    result = kernel_check.check(subject, session, console, quiet=as_json)
    if as_json:
        click.echo(check_json.text(subject.lab, result), nl=False)
    else:
        kernel_check.print_advice(subject, result, console)
    return kernel_check.exit_code(result)
