"""course.toml: what all handouts of a term have in common."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core import handwritten, toml
from ..core.paths import Repository
from ..course import policy

FILE = "handouts/course.toml"
_SCHEMA = Path(__file__).with_name("course.schema.json")


@dataclass(frozen=True)
class Course:
    """`labs`: folders of labs/; empty means all. `due`: of policy.toml, by a lab's folder."""

    title: str
    term: str
    gpu: str
    language: str = "en"
    begins: datetime.date | None = None
    ends: datetime.date | None = None
    labs: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    due: Mapping[str, datetime.datetime] = field(default_factory=dict)


def load(root: Path) -> Course:
    """The course's facts, and the dates of policy.toml. InstructorError names key and line of a mistake."""
    document = toml.load(root / FILE, _SCHEMA, "it needs title, term and gpu")
    _check_labs(root, document)
    lists = {key: tuple(document.data.get(key, ())) for key in ("labs", "policies")}
    rules = root / "policy.toml"
    due = policy.load(rules).due if handwritten.is_there(rules) else {}
    return Course(**(document.data | lists), due=due)


def _check_labs(root: Path, document: toml.Document) -> None:
    existing = set(Repository(root).lab_names())
    for name in document.data.get("labs", ()):
        if name not in existing:
            raise document.error(
                f"labs names the lab {name!r}, which does not exist",
                "labs",
                remedy=f"the labs are: {', '.join(sorted(existing))}",
            )
