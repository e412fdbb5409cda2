"""A gap, and the files of a lab in which gaps are looked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...core import toml
from ...core.paths import Repository
from ...course import lab
from ...records import Lab
from ...solution.markers import MarkedLine
from ...solution.planted_bugs import PlantedBug

MUTANTS = "mutants.toml"


@dataclass(frozen=True)
class Gap:
    """Something that a lab lacks. `file` is below the repository's root."""

    # "mutants", "near miss", "line", "hint", "case", "array", "size", "visibility", "skeleton", "syllabus",
    # "handout", "language", "timing", "fault"
    about: str
    message: str
    file: str
    line: int | None
    remedy: str  # what to type or write next
    needed: bool = True  # False: the lab works without; a translator or a GPU provides it


@dataclass(frozen=True)
class LabFiles:
    """The lab, and the texts that the rules read."""

    repository: Repository
    lab: Lab
    text: str  # of lab.toml
    solution: Path
    marked: str
    lines: tuple[MarkedLine, ...]
    bugs: tuple[PlantedBug, ...]

    @property
    def lab_toml(self) -> str:
        return str(self.repository.labs / self.lab.name / lab.FILE)

    @property
    def mutants(self) -> Path:
        return self.solution.with_name(MUTANTS)

    def line_of(self, *path: str | int) -> int | None:
        return toml.line_of(self.text, path)
