"""Commands are found by listing folders, and imported when they are needed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from warpgrade.cli import commands, main
from warpgrade.cli.command_groups import FolderGroup, ListedCommand, StaffCommand, StudentCommand

FOLDER = Path(commands.__file__).parent
CONTEXT = click.Context(main.cli)


def listed(group: FolderGroup) -> Iterator[tuple[str, ListedCommand]]:
    for name in group.list_commands(CONTEXT):
        command = group.get_command(CONTEXT, name)
        assert isinstance(command, ListedCommand), name
        yield name, command
        if isinstance(command, FolderGroup):
            yield from listed(command)


def test_each_file_is_one_command() -> None:
    files = {path.stem.replace("_", "-") for path in FOLDER.iterdir() if not path.name.startswith("_")}
    assert set(main.cli.list_commands(CONTEXT)) == files


def test_each_command_has_a_section_a_summary_and_a_place_of_its_own() -> None:
    places = set()
    for name, command in listed(main.cli):
        assert command.section in (StudentCommand.section, StaffCommand.section), name
        assert command.help, name
        places.add((command.section, command.position, name in main.cli.list_commands(CONTEXT)))
    assert len(places) == len(list(listed(main.cli)))


@pytest.mark.parametrize("word", ["", "nothing", "main", "__init__", "../main", "check.py"])
def test_what_is_no_command(word: str) -> None:
    assert main.cli.get_command(CONTEXT, word) is None


def test_the_help_imports_no_stage() -> None:
    """It must show at once."""
    program = (
        "import sys; from warpgrade.cli.main import cli; cli(['--help'], standalone_mode=False); "
        "print([name for name in sys.modules if name.split('.')[0] in ('rich', 'jsonschema', 'jinja2')"
        " or name.startswith(('warpgrade.run.', 'warpgrade.judge.', 'warpgrade.report.'))])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ran.stdout.splitlines()[-1] == "[]", ran.stdout + ran.stderr


def test_one_command_imports_no_other() -> None:
    program = (
        "import sys; from warpgrade.cli.main import cli; cli(['pack', '--help'], standalone_mode=False); "
        "print([name for name in sys.modules if name.startswith('warpgrade.cli.commands.')])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ran.stdout.splitlines()[-1] == "['warpgrade.cli.commands.pack']", ran.stdout + ran.stderr
