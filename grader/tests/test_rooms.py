"""Rooms of C++ include each other in one direction: as the CMakeLists.txt of emulator and harness say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.rooms import APART, rooms

GRADER = Path(__file__).resolve().parents[1]
TREES = (GRADER / "emulator", GRADER / "harness")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
GENERATED = {"gpus.inc"}

each_tree = pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)


def room_of(path: str, names: dict[str, set[str]]) -> str:
    """The innermost room that the file lies in."""
    within = [name for name in names if path.startswith(f"{name}/")]
    assert within, f"{path} lies in no room"
    return max(within, key=len)


def includes(tree: Path) -> Iterator[tuple[str, str]]:
    """Each file of a room and each header of the tree that it includes, relative to the tree."""
    for file in sorted(tree.glob("*/**/*")):
        path = file.relative_to(tree).as_posix()
        if file.suffix in (".cpp", ".hpp", ".h", ".def") and path.split("/")[0] not in APART:
            for header in INCLUDE.findall(file.read_text(encoding="utf-8")):
                beside = (file.parent / header).resolve()
                if header not in GENERATED and not of_another_tree(tree, header):
                    yield path, beside.relative_to(tree).as_posix() if beside.exists() else header


def of_another_tree(tree: Path, header: str) -> bool:
    """Whether the header lies in a tree below this one: the harness calls the emulator."""
    below = TREES[: TREES.index(tree)]
    return any((other / header).exists() for other in below)


@each_tree
def test_a_room_stands_below_those_that_it_sees(tree: Path) -> None:
    above: set[str] = set()
    for name, seen in rooms(tree).items():
        assert seen <= above, f"{name} sees rooms that come after it: {sorted(seen - above)}"
        above.add(name)


@each_tree
def test_every_folder_is_a_room(tree: Path) -> None:
    folders = {path.name for path in tree.iterdir() if path.is_dir()}
    assert folders - APART == {name.split("/")[0] for name in rooms(tree)}


@each_tree
def test_includes_follow_the_table(tree: Path) -> None:
    names = rooms(tree)
    against = set()
    for path, header in includes(tree):
        room, other = room_of(path, names), room_of(header, names)
        if room != other and other not in names[room]:
            against.add(f"{path} -> {header}")
    assert sorted(against) == [], f"not allowed by {tree.name}/CMakeLists.txt"
