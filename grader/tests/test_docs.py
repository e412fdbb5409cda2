"""The pages in docs/ name every package and room, and only files, commands and options that are there."""

from __future__ import annotations

import importlib
import itertools
import re
import tomllib
from pathlib import Path

import click
import pytest

from support.rooms import APART, rooms
from warpgrade.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "grader" / "tests" / "README.md"]


def rows(heading: str) -> dict[str, str]:
    """The table below a heading: name of the folder → what it is for."""
    part = ARCHITECTURE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `([\w/]+)/` \| (.+) \|$", part, re.MULTILINE))


def test_every_package_has_its_row_in_the_order_of_its_imports() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    table = rows("The grader's packages")
    assert list(table) == layers[::-1]
    for name, purpose in table.items():
        said = importlib.import_module(f"warpgrade.{name}").__doc__ or ""
        assert said.startswith(purpose.split(":")[0].split(".")[0]), name


def test_every_room_of_the_emulator_has_its_row_in_the_order_of_its_includes() -> None:
    assert list(rows("The emulator's rooms")) == [*rooms(ROOT / "grader" / "emulator"), *sorted(APART)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_paths_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`((?:grader|labs|solutions|handouts|docs|datasets)/[\w./-]*[\w/])`", text)
    missing = [path for path in named if not (ROOT / path).exists() and path != "datasets/.salt"]
    assert missing == []
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []


def options(words: list[str]) -> set[str]:
    """Options of the command that the words begin with."""
    command: click.Command | None = cli
    for word in words:
        if not isinstance(command, click.Group) or word.startswith("-"):
            break
        command = command.get_command(click.Context(command), word)
        assert command is not None, f"there is no command {word!r}"
    assert command is not None
    return {"--help", *(name for parameter in command.params for name in parameter.opts)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_that_a_page_names_have_these_options(page: Path) -> None:
    named = re.findall(r"(?:\./|-m )warpgrade ([a-z][^`\n|;<]*)", page.read_text(encoding="utf-8"))
    for words in map(str.split, named):
        own = itertools.takewhile("--".__ne__, words)
        given = {re.split(r"[=.,:)]", word)[0] for word in own if word.startswith("--")}
        assert not given or given <= options(words), words
