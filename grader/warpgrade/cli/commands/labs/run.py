"""`warpgrade run`: run any CUDA program, without a lab."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from ....core.errors import ExitCode
from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import aside, escape, width
from ...parameters import File

_ANY_ARGUMENTS = {"ignore_unknown_options": True, "allow_interspersed_args": False}
_NOTE = "runs on this machine as your own program, without a sandbox"


@click.command(cls=ListedCommand, position=9, context_settings=_ANY_ARGUMENTS)
@click.option("--gpu", "on_card", is_flag=True, help="run it on this machine's GPU, which finds no mistakes")
@click.option(
    "--thorough", is_flag=True, help="run it a second time, in silence, compiled without optimisation"
)
@click.option("--model", "gpu_model", default="h200", help="the GPU that is emulated: a name in grader/gpus/")
@click.option(
    "--suppressions",
    metavar="RULES",
    type=File(),
    help="leave out the findings that this file names, with reasons: docs/findings.md",
)
@click.argument("file", type=File())
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    on_card: bool,
    thorough: bool,
    gpu_model: str,
    suppressions: Path | None,
    file: Path,
    arguments: tuple[str, ...],
) -> int:
    """Compile and run any CUDA program on the emulator, with findings.

    FILE is a .cu file with a main, ARGUMENTS are the program's. It runs on this machine as your own program,
    without a sandbox. Its exit code is the command's, but 1 in place of 0 where there are findings.

    No check sees what the compiler removes. --thorough also reports what only a build without optimisation
    shows; these findings stand apart and do not change the exit code.
    """
    from ....feedback.unoptimised import TITLE
    from ....gpu import spec
    from ....report import terminal_findings
    from ....student import own_program

    repository = here()
    console = aside()
    own_program.need_source(file)
    console.print(f"[dim]{file.name} {_NOTE}[/]", soft_wrap=True)
    for name in _own_options(arguments):
        words = f"note: {name} behind {file.name} is the program's own: for `run`, put it before the file"
        console.print(escape(words), soft_wrap=True)
    gpu = spec.load(repository, gpu_model)
    ran = own_program.run(repository, file, arguments, gpu, on_card, thorough, suppressions)
    for line in terminal_findings.message_lines(ran.warnings, width(console), _named(file)):
        console.print(line, soft_wrap=True)
    for line in terminal_findings.findings_by_line(ran.findings, width(console), _named(file)):
        console.print(line, soft_wrap=True)
    if ran.unoptimised:
        console.print(f"\n{TITLE}")
        for line in terminal_findings.findings_by_line(ran.unoptimised, width(console), _named(file)):
            console.print(line, soft_wrap=True)
    for rule in ran.suppressed:
        found = "one place" if rule.findings == 1 else f"{rule.findings} places"
        console.print(escape(f"suppressed by {rule.rule}: {found}: {rule.reason}"), soft_wrap=True)
    errors = any(finding.severity == "error" for finding in ran.findings)
    return ran.status or (ExitCode.NOT_RIGHT if errors else ExitCode.DONE)


def _own_options(arguments: tuple[str, ...]) -> list[str]:
    """Arguments of the program that are called as options of this command."""
    names = {name for option in command.params for name in option.opts if name.startswith("--")}
    return [each for each in dict.fromkeys(arguments) if each in names]


def _named(file: Path) -> Callable[[str], str]:
    """What a file is called in messages: as it was typed."""
    return lambda name: str(file) if name == file.name else name
