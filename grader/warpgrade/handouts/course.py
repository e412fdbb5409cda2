"""course.toml: what is the same in all handouts of a term."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.errors import InstructorError
from ..core.toml import line_of, parsed

FILE = "handouts/course.toml"
_NEEDED = ("title", "term", "gpu")
_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z]+)?")
_KINDS: dict[str, tuple[type, str]] = {
    "title": (str, "a text"),
    "term": (str, "a text"),
    "gpu": (str, "a file of grader/gpus/ without .toml"),
    "language": (str, "a file of handouts/languages/ without .toml"),
    "begins": (datetime.date, "a date such as 2027-02-01"),
    "ends": (datetime.date, "a date such as 2027-06-30"),
    "labs": (list, "a list of folders in labs/"),
    "policies": (list, "a list of sentences"),
    "due": (dict, "a table of labs and dates"),
}


@dataclass(frozen=True)
class Course:
    """`labs` empty: all that there are. `due`: when each lab is to be handed in, by its folder."""

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
    """InstructorError names the key and the line that is wrong."""
    try:
        text, data = parsed((root / FILE).read_bytes())
    except FileNotFoundError:
        raise InstructorError("is missing", file=FILE, remedy="it needs title, term and gpu") from None
    except tomllib.TOMLDecodeError as error:
        raise InstructorError(str(error), file=FILE, remedy="see https://toml.io") from None
    _check(root, text, data)
    for key in ("labs", "policies"):
        data[key] = tuple(data.get(key, ()))
    return Course(**data)


def _check(root: Path, text: str, data: dict[str, Any]) -> None:
    for key in _NEEDED:
        if key not in data:
            raise InstructorError(f"lacks the key '{key}'", file=FILE, remedy="add it")
    for key, value in data.items():
        line = line_of(text, [key])
        if key not in _KINDS:
            known = ", ".join(_KINDS)
            raise InstructorError(
                f"unknown key '{key}'", file=FILE, line=line, remedy=f"remove it; known are {known}"
            )
        kind, words = _KINDS[key]
        if not isinstance(value, kind):
            raise InstructorError(f"{key} is not {words}", file=FILE, line=line, remedy="correct it")
    if not _CODE.fullmatch(data.get("language", "en")):
        raise InstructorError(
            f"{data['language']!r} is no language code",
            file=FILE,
            line=line_of(text, ["language"]),
            remedy="write a code such as en or de",
        )
    there = {path.parent.name for path in (root / "labs").glob("*/lab.toml")}
    for key in ("labs", "due"):
        for name in data.get(key, ()):
            if name not in there:
                raise InstructorError(
                    f"{key} names the lab {name!r}, which is not there",
                    file=FILE,
                    line=line_of(text, [key]),
                    remedy=f"the labs are: {', '.join(sorted(there))}",
                )
