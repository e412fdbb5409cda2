"""Groups of commands: each file of a folder holds one command, imported when it is typed or listed."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from types import ModuleType
from typing import Any

import click

_SUMMARY = 64  # columns of a command's line in the help


class ListedCommand(click.Command):
    """A command with a position in its section of the help.

    `resumable`: after Ctrl-C the same command continues where it stopped.
    """

    def __init__(self, *args: Any, position: int = 0, resumable: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.position = position
        self.resumable = resumable

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click's, but the message of an unknown option names those that there are."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.possibilities:
                raise
            options = (each for each in self.params if isinstance(each, click.Option) and not each.hidden)
            known = [each.opts[-1] for each in options]
            usage = " ".join((ctx.command_path, *self.collect_usage_pieces(ctx)[1:]))
            rest = f"It has {', '.join(known)}." if known else f"Type: {usage}"
            raise click.UsageError(f"{error.format_message()} {rest}", ctx) from None


class FolderGroup(ListedCommand, click.Group):
    """The commands of one package: the object `command` of a_name.py is the command a-name."""

    def __init__(self, *args: Any, package: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        return _listed(self._modules())

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, but an unknown command's message names the ones that are spelled alike."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            alike = difflib.get_close_matches(args[0], self.list_commands(ctx))
            if not alike or self.get_command(ctx, args[0]) is not None:
                raise
            raise click.UsageError(f"{error.message} Did you mean {' or '.join(alike)}?", ctx) from None

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = self._modules().get(cmd_name)
        return _imported(module) if module else None

    def _modules(self) -> dict[str, str]:
        """The module of each command, by the command's name."""
        return _modules_of(importlib.import_module(self.package))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write(formatter, "Commands", self._modules())


class SectionGroup(FolderGroup):
    """The commands of all packages in one package. Each of these is a section of the help: its SECTION is the
    title, and its POSITION that of the section."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for section in self._sections() for name in _listed(_modules_of(section))]

    def modules(self, section: str) -> list[str]:
        """Names of the modules of the commands in one folder."""
        return list(_modules_of(importlib.import_module(f"{self.package}.{section}")).values())

    def _modules(self) -> dict[str, str]:
        return {name: module for section in self._sections() for name, module in _modules_of(section).items()}

    def _sections(self) -> list[ModuleType]:
        folders = _modules_of(importlib.import_module(self.package)).values()
        return sorted(map(importlib.import_module, folders), key=lambda section: section.POSITION)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section in self._sections():
            _write(formatter, section.SECTION, _modules_of(section))


def _modules_of(package: ModuleType) -> dict[str, str]:
    found = pkgutil.iter_modules(package.__path__)
    return {module.name.replace("_", "-"): f"{package.__name__}.{module.name}" for module in found}


def _imported(module: str) -> click.Command:
    command: click.Command = importlib.import_module(module).command
    return command


def _listed(modules: dict[str, str]) -> list[str]:
    """Names of commands in the order of the help."""
    return sorted(modules, key=lambda name: (_position(_imported(modules[name])), name))


def _position(command: click.Command) -> int:
    return command.position if isinstance(command, ListedCommand) else 0


def _write(formatter: click.HelpFormatter, title: str, modules: dict[str, str]) -> None:
    shown = ((name, _imported(modules[name])) for name in _listed(modules))
    rows = [(name, command.get_short_help_str(_SUMMARY)) for name, command in shown if not command.hidden]
    with formatter.section(title):
        formatter.write_dl(rows)
