"""The command line: the group of all commands, and the program's entry point."""

from __future__ import annotations

import os
from typing import Any

import click

from ..core.errors import WarpgradeError
from ..core.paths import Repository, here, program
from .command_groups import ListedCommand, SectionGroup
from .error_reports import EXIT_CODES, reported


def main() -> None:
    os.umask(0o022)  # the unprivileged user inside the sandbox must be able to read what we write
    cli(prog_name=program(), complete_var="_WARPGRADE_COMPLETE")


class _CommandLine(SectionGroup):
    """All commands. A command that returns a number ends the program with that exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        with reported(lambda: False):  # errors before a command is invoked
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with reported(lambda: self._is_resumable(ctx)):
            status = super().invoke(ctx)
        ctx.exit(status or 0)

    def _is_resumable(self, ctx: click.Context) -> bool:
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        return isinstance(command, ListedCommand) and command.resumable


@click.group(
    cls=_CommandLine,
    package=f"{__package__}.commands",
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, help="versions and commit",
    callback=lambda ctx, param, is_given: _print_version(ctx) if is_given else None,
)  # fmt: skip
def cli() -> None:
    """CUDA labs that grade themselves, with a GPU or without one."""


def _print_version(ctx: click.Context) -> None:
    from .. import VERSION
    from ..build import toolkit

    words = [f"warpgrade {VERSION}"]
    try:
        repository = here()
        words += [f"commit {commit}"] if (commit := _commit(repository)) else []
        words.append(f"CUDA {toolkit.find(repository).version}")
    except WarpgradeError:  # no checkout around, or no compiler in it
        words.append("no CUDA compiler")
    click.echo(", ".join(words))
    ctx.exit()


def _commit(repository: Repository) -> str:
    """The checkout's commit; empty without a repository or git."""
    from ..sandbox import process

    if not (repository.root / ".git").exists():
        return ""
    command = ["git", "-C", str(repository.root), "rev-parse", "--short", "HEAD"]
    try:
        asked = process.run_trusted(command, {}, process.ResourceLimits(seconds=10))
    except WarpgradeError:
        return ""
    return asked.stdout.strip() if asked.status == 0 else ""


def student_modules() -> list[str]:
    """The modules that a students' copy imports first: the program and the students' commands."""
    return ["warpgrade.__main__", "warpgrade.cli.notebook", *cli.modules("labs")]
