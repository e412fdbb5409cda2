"""Review files: what people write about hand-ins, by hand, beside what the machine says.

A folder holds any number of them, such as one for each lab or each member of the staff.
docs/teaching-assistants.md shows every table; judge/reviews.py says how they change a score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..core import toml
from ..records import Remark

_SCHEMA = Path(__file__).with_name("reviews.schema.json")
_REMEDY = "docs/teaching-assistants.md shows review files"


@dataclass(frozen=True)
class About:
    """What an entry is about, and where it stands."""

    student: str
    lab: str
    attempt: int | None  # None: every attempt
    place: str  # "tess.toml:12"


@dataclass(frozen=True)
class Override:
    """One part of the score by a person instead of the machine."""

    about: About
    part: str  # kind and name, or the kind where it has one part
    points: float
    reason: str
    by: str


@dataclass(frozen=True)
class Reviews:
    remarks: tuple[tuple[About, Remark], ...] = ()
    overrides: tuple[Override, ...] = ()
    answers: tuple[tuple[About, str], ...] = ()

    def renamed(self, name: Callable[[str], str]) -> Reviews:
        """The reviews with each student's name replaced by `name` of it."""

        return self._about(lambda about: replace(about, student=name(about.student)))

    def with_labs(self, name: Callable[[str], str]) -> Reviews:
        """The reviews with each lab's name replaced by `name` of it, such as "07" by the whole name."""
        return self._about(lambda about: replace(about, lab=name(about.lab)))

    def _about(self, moved: Callable[[About], About]) -> Reviews:
        return Reviews(
            tuple((moved(about), remark) for about, remark in self.remarks),
            tuple(replace(override, about=moved(override.about)) for override in self.overrides),
            tuple((moved(about), text) for about, text in self.answers),
        )

    def entries(self) -> Iterator[About]:
        yield from (about for about, _ in self.remarks)
        yield from (override.about for override in self.overrides)
        yield from (about for about, _ in self.answers)


def load(folder: Path) -> Reviews:
    """All review files of the folder, in the order of their names; none if there is no folder.

    InstructorError with the line of what is wrong.
    """
    documents = [toml.load(file, _SCHEMA) for file in sorted(folder.glob("*.toml"))]
    rubric: dict[str, Any] = {}
    for document in documents:
        for name, item in document.data.get("rubric", {}).items():
            if name in rubric:
                raise document.error(f"the rubric has {name!r} already", "rubric", name, remedy="rename one")
            rubric[name] = item
    remarks: list[tuple[About, Remark]] = []
    overrides: list[Override] = []
    answers: list[tuple[About, str]] = []
    for document in documents:
        remarks += _comments(document)
        remarks += _marks(document, rubric)
        overrides += _overrides(document)
        answers += ((about, row["text"]) for about, row in _rows(document, "answer"))
    return Reviews(tuple(remarks), tuple(overrides), tuple(answers))


def _rows(document: toml.Document, table: str) -> Iterator[tuple[About, dict[str, Any]]]:
    for number, row in enumerate(document.data.get(table, ())):
        lab = row.get("lab", document.data.get("lab"))
        if lab is None:
            raise document.error(
                f"{table} names no lab", table, number, remedy='write lab = "NAME" at the top of the file'
            )
        line = toml.line_of(document.text, (table, number))
        place = f"{document.file.name}:{line}" if line else document.file.name
        yield About(row["student"], lab, row.get("attempt"), place), row


def _comments(document: toml.Document) -> Iterator[tuple[About, Remark]]:
    by = document.data.get("by", "")
    for about, row in _rows(document, "comment"):
        points = float(row.get("points", 0.0))
        yield about, Remark(row["text"], points, by, row.get("file", ""), row.get("line"))


def _marks(document: toml.Document, rubric: dict[str, Any]) -> Iterator[tuple[About, Remark]]:
    by = document.data.get("by", "")
    for number, (about, row) in enumerate(_rows(document, "mark")):
        item = rubric.get(row["item"])
        if item is None:
            names = ", ".join(sorted(rubric)) or "none yet"
            raise document.error(
                f"the rubric has no {row['item']!r}", "mark", number, "item", remedy=f"its items are: {names}"
            )
        text = " ".join(filter(None, (item["text"], row.get("text"))))
        points = float(row.get("points", item["points"]))
        yield about, Remark(text, points, by, row.get("file", ""), row.get("line"), row["item"])


def _overrides(document: toml.Document) -> Iterator[Override]:
    seen: set[tuple[str, str, int | None, str]] = set()
    for number, (about, row) in enumerate(_rows(document, "override")):
        key = (about.student, about.lab, about.attempt, row["part"])
        if key in seen:
            raise document.error(f"{row['part']!r} is overridden twice", "override", number, remedy=_REMEDY)
        seen.add(key)
        by = document.data.get("by", "")
        yield Override(about, row["part"], float(row["points"]), row["reason"], by)
