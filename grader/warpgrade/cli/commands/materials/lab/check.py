"""`warpgrade lab check`: what is still missing for a lab."""

from __future__ import annotations

import click

from .....core.errors import ExitCode
from .....core.paths import here
from .... import class_output
from ....command_groups import ListedCommand
from ....parameters import LabName


@click.command(cls=ListedCommand, position=14)
@click.argument("name", metavar="LAB", type=LabName())
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead")
def command(name: str, as_json: bool) -> int:
    """Say what a lab still lacks, and what to type next.

    Lines of the solution that no mutant touches, unproved hints, cases that no mutant needs, visibility that
    nothing tests, and what only a translator or a GPU can add. Exit code 3 if something is missing that the
    lab needs; 0 otherwise. Nothing runs: `mutants LAB` finds out whether each mutant does what its row says.
    """
    from .....core.serialize import dumps, to_data
    from .....handouts import course
    from .....staff import lab_check

    class_output.show_notes(course.doubts(here().root))
    found = lab_check.gaps(here(), name)
    needed = sum(gap.needed for gap in found)
    if as_json:
        click.echo(dumps({"format": 1, "lab": name, "gaps": to_data(found)}), nl=False)
        return ExitCode.INSTRUCTOR if needed else ExitCode.DONE
    for gap in found:
        place = gap.file if gap.line is None else f"{gap.file}:{gap.line}"
        click.echo(f"{'missing' if gap.needed else 'later'}  {place}: {gap.message}\n         {gap.remedy}")
    later = len(found) - needed
    words = f"{needed} missing" if needed else "nothing is missing"
    click.echo(f"{name}: {words}" + (f", {later} for later" if later else ""))
    return ExitCode.INSTRUCTOR if needed else ExitCode.DONE
