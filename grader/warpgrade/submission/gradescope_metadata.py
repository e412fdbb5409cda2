"""submission_metadata.yml of a Gradescope export: who handed in which folder, and when.

The file quotes text of students, so it is read by PyYAML's base loader: every scalar stays a string, a
student number keeps its zeros, and no tag builds an object. libyaml composes nested values by recursion in C,
so the depth is checked first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

FILE = "submission_metadata.yml"
MOST_CHARACTERS = 64 << 20
_MOST_DEPTH = 100
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # libyaml, where PyYAML has it
_NULL = ("~", "null")


@dataclass(frozen=True)
class Submitter:
    name: str
    sid: str = ""
    email: str = ""


@dataclass(frozen=True)
class SubmissionFolder:
    """One folder of the export; a group has several submitters."""

    folder: str
    submitters: tuple[Submitter, ...]
    created_at: str  # as written: "2026-11-20 10:00:00.123456000 Z"


def read(text: str) -> tuple[SubmissionFolder, ...]:
    """Every folder in the order of the file; one without submitters has none. Empty if it is no export."""
    if len(text) > MOST_CHARACTERS:
        return ()
    try:
        data = None if _is_deep(text) else yaml.load(text, _LOADER)
    except (yaml.YAMLError, RecursionError, ValueError):
        return ()
    rows = data.items() if isinstance(data, dict) else ()
    return tuple(_folder(str(name), row) for name, row in rows if isinstance(row, dict))


def _is_deep(text: str) -> bool:
    depth = 0
    for event in yaml.parse(text, _LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_DEPTH:
            return True
    return False


def _folder(name: str, row: dict[str, Any]) -> SubmissionFolder:
    people = row.get(":submitters")
    submitters = (
        Submitter(*(_text(person.get(key)) for key in (":name", ":sid", ":email")))
        for person in (people if isinstance(people, list) else ())
        if isinstance(person, dict)
    )
    return SubmissionFolder(name, tuple(submitters), _text(row.get(":created_at")))


def _text(value: object) -> str:
    return value if isinstance(value, str) and value not in _NULL else ""
