"""What the emulator can find: the rows of its table, machine/finding_kinds.def."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.errors import GraderError
from ..core.paths import Repository
from . import def_table


@dataclass(frozen=True)
class FindingKind:
    """A row of the table."""

    code: str  # "WG112"
    name: str  # "race-read-write"
    check: str  # "race"
    severity: str  # "error", "warning"
    help: str  # one thing to do

    @property
    def words(self) -> str:
        return self.name.replace("-", " ")


def load(repository: Repository) -> tuple[FindingKind, ...]:
    """Every kind, in the order of the table."""
    file = repository.root / "grader" / "emulator" / "machine" / "finding_kinds.def"
    try:
        rows = def_table.rows(file, "KIND")
    except OSError:
        raise GraderError("is missing", file=file, remedy="get a whole copy of the course's files") from None
    return tuple(FindingKind(*columns) for _, *columns in rows)
