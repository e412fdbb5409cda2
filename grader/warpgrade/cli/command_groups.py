"""Groups of commands: each file of a folder holds one command, imported when it is typed or listed."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any, ClassVar

import click

_SUMMARY = 64  # columns of a command's line in the help


class ListedCommand(click.Command):
    """A command with a section of the help and a position in that section.

    `resumable`: after Ctrl-C the same command continues where it stopped.
    """

    section: ClassVar[str] = ""

    def __init__(self, *args: Any, position: int = 0, resumable: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.position = position
        self.resumable = resumable


class StudentCommand(ListedCommand):
    section = "Labs"


class StaffCommand(ListedCommand):
    section = "Course staff"


SECTIONS = (StudentCommand.section, StaffCommand.section)


class FolderGroup(ListedCommand, click.Group):
    """The commands of one package: the object `command` of a_name.py is the command a-name."""

    def __init__(self, *args: Any, package: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        found = {name: self._imported(name) for name in self._names()}
        return sorted(found, key=lambda name: _place(found[name]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self._imported(cmd_name) if cmd_name in self._names() else None

    def modules(self, kind: type[ListedCommand]) -> list[str]:
        """Names of the modules whose command has this class."""
        names = (name for name in self._names() if isinstance(self._imported(name), kind))
        return [self._module(name) for name in names]

    def _module(self, name: str) -> str:
        return f"{self.package}.{name.replace('-', '_')}"

    def _names(self) -> list[str]:
        path = importlib.import_module(self.package).__path__
        return [module.name.replace("_", "-") for module in pkgutil.iter_modules(path)]

    def _imported(self, name: str) -> click.Command:
        module = importlib.import_module(self._module(name))
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes one list for each section."""
        found = [(name, self._imported(name)) for name in self.list_commands(ctx)]
        for title in dict.fromkeys(_section(command) for _, command in found):
            rows = [
                (name, command.get_short_help_str(_SUMMARY))
                for name, command in found
                if _section(command) == title
            ]
            with formatter.section(title or "Commands"):
                formatter.write_dl(rows)


class StaffGroup(FolderGroup):
    section = StaffCommand.section


def _section(command: click.Command) -> str:
    return command.section if isinstance(command, ListedCommand) else ""


def _place(command: click.Command) -> tuple[int, int, str]:
    section = _section(command)
    position = command.position if isinstance(command, ListedCommand) else 0
    return (SECTIONS.index(section) if section in SECTIONS else 0), position, command.name or ""
