"""An attack: a submission that tries to win, to break or to see what it must not, and how it must end.

An attack is a folder grader/tests/fixtures/attacks/<group>/<name>/ with attack.toml, the files that are
handed in and, for archives that cannot be stored, a recipe (archives.py).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from warpgrade.core.errors import InstructorError
from warpgrade.core.toml import line_of

ATTACKS = Path(__file__).resolve().parents[2] / "fixtures" / "attacks"


@dataclass(frozen=True)
class Attack:
    """attack.toml. `verdicts` is the set of verdicts over all cases; empty where no case is run."""

    group: str
    name: str
    folder: Path
    title: str
    tries: str
    stops: str  # what must stop it
    most_points: float
    lab: str = "01-basic"
    allowed: str = ""  # why it may get more than the points for building
    entry: str = ""  # how the class folder calls it; the attack's name if empty
    status: str = "graded"  # graded, refused, or unfit: the entry holds nothing that can be graded
    build: str = ""
    verdicts: tuple[str, ...] = ()
    says: tuple[str, ...] = ()  # texts that the attacker's saved result must contain
    never: tuple[str, ...] = ()  # texts that no file of the batch may contain unescaped
    never_in_pages: tuple[str, ...] = ()  # the same for the HTML pages only
    never_in_cells: tuple[str, ...] = ()  # the same for the gradebook only
    archive: dict[str, Any] | None = None  # see archives.py

    @property
    def handed_in_as(self) -> str:
        return self.entry or self.name


def find() -> tuple[Attack, ...]:
    """All attacks by group and name. InstructorError where an attack.toml is wrong."""
    return tuple(_load(file) for file in sorted(ATTACKS.glob("*/*/attack.toml")))


def _load(file: Path) -> Attack:
    text = file.read_text(encoding="utf-8")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InstructorError(str(error), file=file) from None
    known = {field.name for field in fields(Attack)} - {"group", "name", "folder"}
    for key in table.keys() - known:
        raise InstructorError(f"unknown key {key!r}", file=file, line=line_of(text, [key]))
    lists: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
    }
    try:
        return Attack(file.parent.parent.name, file.parent.name, file.parent, **lists)
    except TypeError as error:
        raise InstructorError(str(error).split("__init__() ")[-1], file=file) from None
