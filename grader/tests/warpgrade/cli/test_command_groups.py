"""Commands are found by listing folders, and imported when they are needed."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from warpgrade.cli import commands, main
from warpgrade.cli.command_groups import FolderGroup, ListedCommand

FOLDER = Path(commands.__file__).parent
CONTEXT = click.Context(main.cli)


def listed(group: FolderGroup) -> Iterator[tuple[str, ListedCommand]]:
    for name in group.list_commands(CONTEXT):
        command = group.get_command(CONTEXT, name)
        assert isinstance(command, ListedCommand), name
        yield name, command
        if isinstance(command, FolderGroup):
            yield from listed(command)


def test_each_file_of_a_section_is_one_command() -> None:
    files = [path.stem.replace("_", "-") for path in FOLDER.glob("*/*") if not path.name.startswith("_")]
    assert sorted(main.cli.list_commands(CONTEXT)) == sorted(files)


def test_each_command_has_a_summary_and_a_place_of_its_own_in_its_section() -> None:
    places = set()
    for name, command in listed(main.cli):
        assert command.help, name
        folder = (
            command.callback.__module__.removesuffix(f".{name.replace('-', '_')}") if command.callback else ""
        )
        places.add((folder, command.position))
    assert len(places) == len(list(listed(main.cli)))


def test_the_sections_of_the_help_are_the_folders() -> None:
    text = main.cli.get_help(CONTEXT)
    assert 0 < text.index("Labs:") < text.index("  check ") < text.index("  grade ")
    folders = [path.parent.name for path in FOLDER.glob("*/__init__.py")]
    sections = sorted(
        (importlib.import_module(f"{commands.__name__}.{name}") for name in folders),
        key=lambda section: section.POSITION,
    )
    begins = [text.index(f"\n{section.SECTION}:\n") for section in sections]
    assert len({section.POSITION for section in sections}) == len(begins) > 1
    for section, begin, end in zip(sections, begins, [*begins[1:], len(text)], strict=True):
        for file in Path(section.__path__[0]).glob("[a-z]*"):
            name = file.stem.replace("_", "-")
            command = main.cli.get_command(CONTEXT, name)
            assert command and (command.hidden or f"\n  {name} " in text[begin:end]), name


@pytest.mark.parametrize(
    "word", ["", "nothing", "main", "__init__", "../main", "check.py", "labs", "grading"]
)
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
    sections = sorted(path.parent.name for path in FOLDER.glob("*/__init__.py"))
    assert ran.stdout.splitlines()[-1] == str(
        [f"warpgrade.cli.commands.{name}" for name in (*sections, "labs.pack")]
    ), ran.stdout + ran.stderr
