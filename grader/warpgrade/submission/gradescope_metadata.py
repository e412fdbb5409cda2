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
    """Every folder in the order of the file; one without submitters has none. Empty if it is no export.

    A folder that is named twice is there twice: a mapping would drop one, and those who handed it in.
    """
    if len(text) > MOST_CHARACTERS:
        return ()
    try:
        rows = [] if _is_deep(text) else _rows(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        return ()
    return tuple(_folder(str(name), row) for name, row in rows if isinstance(row, dict))


def _rows(text: str) -> list[tuple[Any, Any]]:
    loader = _LOADER(text)
    try:
        top = loader.get_single_node()
        pairs = top.value if isinstance(top, yaml.MappingNode) else []
        return [tuple(loader.construct_object(node, deep=True) for node in pair) for pair in pairs]
    finally:
        loader.dispose()


def _is_deep(text: str) -> bool:
    depth = 0
    for event in yaml.parse(text, _LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_DEPTH:
            return True
    return False


def _folder(name: str, row: dict[str, Any]) -> SubmissionFolder:
    people = row.get(":submitters")
    submitters = (_submitter(person) for person in (people if isinstance(people, list) else ()))
    return SubmissionFolder(name, tuple(submitters), _text(row.get(":created_at")))


def _submitter(person: object) -> Submitter:
    if not isinstance(person, dict):
        return Submitter(_text(person))
    return Submitter(*(_text(person.get(key)) for key in (":name", ":sid", ":email")))


def _text(value: object) -> str:
    return value if isinstance(value, str) and value not in _NULL else ""
