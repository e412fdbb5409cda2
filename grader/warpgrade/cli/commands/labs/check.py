"""`warpgrade check`: check one kernel."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import aside, screen
from ...error_reports import EXIT_CODES
from ...parameters import File, MachineOptions, lab_argument, machine_options


@click.command(cls=ListedCommand, position=1, epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@machine_options
@click.option("--thorough", is_flag=True, help="also show what only a build without optimisation shows")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead")
@click.option("--sarif", "sarif_file", metavar="FILE", type=File(), help="also write SARIF, for editors")
@click.option("--html", "html_file", metavar="FILE", type=File(), help="also write the report as a page")
@click.option("--lines", "as_lines", is_flag=True, help="also print a line for each place, as compilers do")
def command(
    name: str, file: Path | None, machine: MachineOptions, thorough: bool, as_json: bool,
    sarif_file: Path | None, html_file: Path | None, as_lines: bool,
) -> int:  # fmt: skip
    """Check one kernel and say what is wrong with it.

    FILE: default labs/LAB/kernel.cu. No check sees code that the compiler has removed; what --thorough finds
    there stands apart and costs nothing.
    """
    from ....core import store
    from ....core.serialize import dumps
    from ....export import check_json, sarif
    from ... import kernel_check

    subject = kernel_check.subject_of(here(), name, file)
    console = screen()
    notes = aside() if as_json else console
    session = kernel_check.session_for(subject, machine, notes)
    result = kernel_check.check(subject, session, console, quiet=as_json)
    wanted = sarif_file or as_lines
    log = sarif.data(subject.repository, subject.lab, result, subject.path) if wanted else {}
    if sarif_file:
        store.write_text(sarif_file, dumps(log))
    if html_file:
        kernel_check.write_page(subject, session, result, html_file)
    found = kernel_check.unoptimised(subject, session, result) if thorough else None
    if as_json:
        click.echo(check_json.text(subject.lab, result, found), nl=False)
    else:
        for line in sarif.lines(log) if as_lines else ():
            console.print(line, markup=False, emoji=False, soft_wrap=True)
        if found is not None:
            kernel_check.print_unoptimised(subject, found, console)
        kernel_check.print_line_to_look_at(subject, session, result, console)
        kernel_check.print_advice(subject, result, console)
    return kernel_check.exit_code(result)
