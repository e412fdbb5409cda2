"""An attack on the grader: a hostile submission and its required outcome.

An attack is a folder grader/tests/fixtures/attacks/<group>/<name>/ with attack.toml, the submitted files and,
for archives that cannot be stored in the repository, a recipe (archives.py). A header in the group's folder
holds what its attacks have in common; it is put in place of their #include.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from warpgrade.core import toml

ATTACKS = Path(__file__).resolve().parents[2] / "fixtures" / "attacks"


@dataclass(frozen=True)
class Attack:
    """attack.toml. `verdicts`: the set of verdicts of all cases, empty if no case runs."""

    group: str
    name: str
    folder: Path
    title: str
    tries: str
    stops: str  # what must stop it
    most_points: float
    lab: str = "01-basic"
    allowed: str = ""  # the reason why it may get more than the points for building
    entry: str = ""  # its name in the class folder; empty: the attack's name
    status: str = "graded"  # graded, refused, or unfit: the entry contains no file to grade
    build: str = ""
    verdicts: tuple[str, ...] = ()
    says: tuple[str, ...] = ()  # texts that the attacker's saved result must contain
    never: tuple[str, ...] = ()  # texts that no file of the batch may contain unescaped
    never_in_pages: tuple[str, ...] = ()  # the same for the HTML pages only
    never_in_cells: tuple[str, ...] = ()  # the same for the gradebook only
    archive: dict[str, Any] | None = None  # see archives.py
    under: dict[str, dict[str, Any]] | None = None  # other values of these fields under a sandbox backend

    def in_sandbox(self, kind: str) -> Attack:
        """The attack as it must end under that backend."""
        return replace(self, **_fields((self.under or {}).get(kind, {})))

    @property
    def handed_in_as(self) -> str:
        return self.entry or self.name


_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_SCHEMA = {
    "description": "the keys are the fields of Attack in grader/tests/support/attacks/definition.py",
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "tries", "stops", "most_points"],
    "properties": {
        **dict.fromkeys(("title", "tries", "stops", "lab", "allowed", "entry", "build"), _TEXT),
        **dict.fromkeys(("verdicts", "says", "never", "never_in_pages", "never_in_cells"), _TEXTS),
        "most_points": {"type": "number"},
        "status": {"enum": ["graded", "refused", "unfit"]},
        "archive": {"type": "object"},
        "under": {"type": "object", "additionalProperties": {"type": "object"}},
    },
}


def find() -> tuple[Attack, ...]:
    """All attacks by group and name. InstructorError if an attack.toml is wrong."""
    return tuple(_load(file) for file in sorted(ATTACKS.glob("*/*/attack.toml")))


def _load(file: Path) -> Attack:
    table = toml.load(file, _SCHEMA).data
    return Attack(file.parent.parent.name, file.parent.name, file.parent, **_fields(table))


def _fields(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
