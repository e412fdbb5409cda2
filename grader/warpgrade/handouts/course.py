"""course.toml: what all handouts of a term have in common."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core import toml

FILE = "handouts/course.toml"
_SCHEMA = Path(__file__).with_name("course.schema.json")


@dataclass(frozen=True)
class Course:
    """`labs`: folders of labs/; empty means all. `due`: the date on which each lab is due, by its folder."""

    title: str
    term: str
    gpu: str
    language: str = "en"
    begins: datetime.date | None = None
    ends: datetime.date | None = None
    labs: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    due: Mapping[str, datetime.date] = field(default_factory=dict)


def load(root: Path) -> Course:
    """The course's facts. InstructorError names the key and the line that is wrong."""
    document = toml.load(root / FILE, _SCHEMA, "it needs title, term and gpu")
    _check_labs(root, document)
    lists = {key: tuple(document.data.get(key, ())) for key in ("labs", "policies")}
    return Course(**(document.data | lists))


def _check_labs(root: Path, document: toml.Document) -> None:
    existing = {path.parent.name for path in (root / "labs").glob("*/lab.toml")}
    for key in ("labs", "due"):
        for name in document.data.get(key, ()):
            if name not in existing:
                raise document.error(
                    f"{key} names the lab {name!r}, which does not exist",
                    key,
                    remedy=f"the labs are: {', '.join(sorted(existing))}",
                )
