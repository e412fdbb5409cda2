"""The rooms of the emulator include each other in one direction: as grader/emulator/CMakeLists.txt says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

EMULATOR = Path(__file__).resolve().parents[2] / "emulator"
TABLE = re.compile(r"^room\((\S+)(?: SEES ([^)]*))?\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
APART = {"driver", "remoting", "tools"}  # programs of their own: nothing includes them
GENERATED = {"gpus.inc"}


def rooms() -> dict[str, set[str]]:
    """Each room and those whose headers it may include, in the table's order."""
    text = (EMULATOR / "CMakeLists.txt").read_text(encoding="utf-8")
    return {name: set(seen.split()) for name, seen in TABLE.findall(text)}


def room_of(path: str, names: dict[str, set[str]]) -> str:
    """The innermost room that the file lies in."""
    within = [name for name in names if path.startswith(f"{name}/")]
    assert within, f"{path} lies in no room"
    return max(within, key=len)


def includes() -> Iterator[tuple[str, str]]:
    """Each file of a room and each of the emulator's headers that it includes, relative to its folder."""
    for file in sorted(EMULATOR.rglob("*")):
        path = file.relative_to(EMULATOR).as_posix()
        if file.suffix in (".cpp", ".hpp", ".h", ".def") and path.split("/")[0] not in APART:
            for header in INCLUDE.findall(file.read_text(encoding="utf-8")):
                beside = (file.parent / header).resolve()
                if header not in GENERATED:
                    yield path, beside.relative_to(EMULATOR).as_posix() if beside.exists() else header


def test_a_room_stands_below_those_that_it_sees() -> None:
    above: set[str] = set()
    for name, seen in rooms().items():
        assert seen <= above, f"{name} sees rooms that come after it: {sorted(seen - above)}"
        above.add(name)


def test_every_folder_is_a_room() -> None:
    folders = {path.name for path in EMULATOR.iterdir() if path.is_dir()}
    assert folders == {name.split("/")[0] for name in rooms()} | APART


def test_includes_follow_the_table() -> None:
    names = rooms()
    against = set()
    for path, header in includes():
        room, other = room_of(path, names), room_of(header, names)
        if room != other and other not in names[room]:
            against.add(f"{path} -> {header}")
    assert sorted(against) == [], "not allowed by grader/emulator/CMakeLists.txt"
