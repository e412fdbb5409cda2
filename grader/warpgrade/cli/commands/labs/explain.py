"""`warpgrade explain`: what a finding means."""

from __future__ import annotations

import click

from ....core.paths import here
from ....tables import finding_kinds
from ...command_groups import ListedCommand
from ...console import next_step, screen, width


@click.command(cls=ListedCommand, position=7)
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """Explain a finding's code.

    Shows a small wrong and a right kernel. Without CODE: lists all codes.
    """
    from ....student import explain

    repository, console = here(), screen()
    if code is None:
        for kind in sorted(finding_kinds.load(repository), key=lambda each: each.code):
            console.print(f"[bold]{kind.code}[/]  {kind.words}")
        next_step(console, "more about one", "explain WG101")
        return 0
    for line in explain.lines(repository, code, width(console)):
        console.print(line, soft_wrap=True)
    return 0
