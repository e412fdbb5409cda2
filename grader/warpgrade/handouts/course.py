"""course.toml: what all handouts of a term have in common, and what students get beside them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core import handwritten, toml
from ..core.paths import Repository
from ..course import policy
from ..course.lab import full_name
from ..course.policy import Policy

FILE = "handouts/course.toml"
_SCHEMA = Path(__file__).with_name("course.schema.json")
_OF_LABS = ("labs", "compare_with_solution")  # lists of names of labs


@dataclass(frozen=True)
class Course:
    """`labs`: folders of labs/; empty means all. `due`: of policy.toml, by a lab's folder.
    `compare_with_solution`: labs whose solution is in the students' archive.
    """

    title: str
    term: str
    gpu: str
    language: str = "en"
    begins: datetime.date | None = None
    ends: datetime.date | None = None
    labs: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    compare_with_solution: tuple[str, ...] = ()
    due: Mapping[str, datetime.datetime] = field(default_factory=dict)


def load(root: Path) -> Course:
    """The course's facts, and the dates of policy.toml. InstructorError names key and line of a mistake."""
    document = toml.load(root / FILE, _SCHEMA, "it needs title, term and gpu")
    _check_labs(root, document)
    lists = {key: tuple(document.data.get(key, ())) for key in (*_OF_LABS, "policies")}
    rules = _rules(root)
    return Course(**(document.data | lists), due=rules.due)


def _rules(root: Path) -> Policy:
    file, names = root / "policy.toml", Repository(root).lab_names()
    rules = policy.load(file) if handwritten.is_there(file) else Policy()
    return rules.with_labs(lambda word: full_name(word, names))


def doubts(root: Path) -> list[str]:
    """A sentence for each lab that policy.toml names and the course lacks."""
    return _rules(root).unknown_labs(Repository(root).lab_names())


def _check_labs(root: Path, document: toml.Document) -> None:
    existing = set(Repository(root).lab_names())
    for key in _OF_LABS:
        for name in document.data.get(key, ()):
            if name not in existing:
                raise document.error(
                    f"{key} names the lab {name!r}, which does not exist",
                    key,
                    remedy=f"the labs are: {', '.join(sorted(existing))}",
                )
