"""The strings of pages in one language: handouts/languages/<code>.toml.

English is complete. A string that another catalogue lacks falls back to English and is listed in `missing`.
A string is found by its dotted key, and its {places} are filled by name.
"""

from __future__ import annotations

import datetime
import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import toml
from .errors import InstructorError

BASE = "en"
_FOLDER = "handouts/languages"
_SCHEMA = {  # strings, in tables of any depth
    "$ref": "#/$defs/table",
    "$defs": {
        "table": {
            "type": "object",
            "additionalProperties": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/table"}]},
        }
    },
}


@dataclass(frozen=True)
class Messages:
    """The catalogue of one language; `missing`: keys that fall back to English."""

    code: str
    strings: Mapping[str, str]
    missing: tuple[str, ...] = ()

    def __call__(self, key: str, **values: object) -> str:
        """The string of that key, filled in. InstructorError for an unknown key or place."""
        if key not in self.strings:
            raise InstructorError(
                f"has no string '{key}'", file=f"{_FOLDER}/{BASE}.toml", remedy="add it, or use another key"
            )
        try:
            return self.strings[key].format(**values)
        except (KeyError, IndexError) as error:
            raise InstructorError(
                f"the string '{key}' has a place {error} that nothing fills",
                file=f"{_FOLDER}/{self.code}.toml",
                remedy=f"it may use: {', '.join(sorted(values)) or 'none'}",
            ) from None

    def count(self, value: float) -> str:
        """1234567 → "1,234,567", with the language's separator."""
        return f"{value:,.0f}".replace(",", self("number.thousands"))

    def number(self, value: float, digits: int = 1) -> str:
        """1382.40 → "1,382.4"; no trailing zeros."""
        text = f"{value:,.{digits}f}"
        if digits:
            text = text.rstrip("0").rstrip(".")
        marks = {",": self("number.thousands"), ".": self("number.decimal")}
        return "".join(marks.get(letter, letter) for letter in text)

    def date(self, day: datetime.date) -> str:
        """2027-02-05 → "5 February 2027"."""
        month = self(f"month.{day.month}")
        return self("date", day=day.day, month=month, year=day.year)


def load(root: Path, code: str) -> Messages:
    """The language's strings over the English ones. InstructorError if there is no such file."""
    english = _flat(_read(root, BASE).data)
    if code == BASE:
        return Messages(code, english)
    document = _read(root, code)
    own = _flat(document.data)
    unknown = sorted(own.keys() - english.keys())
    if unknown:
        raise document.error(
            f"has the key '{unknown[0]}', which English has not",
            *unknown[0].split("."),
            remedy=f"keys are those of {_FOLDER}/{BASE}.toml",
        )
    missing = tuple(sorted(english.keys() - own.keys()))
    return Messages(code, {**english, **own}, missing)


def places(text: str) -> frozenset[str]:
    """The names of the places of a string, which must be the same in every language."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def codes(root: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (root / _FOLDER).glob("*.toml")))


def _read(root: Path, code: str) -> toml.Document:
    known = ", ".join(codes(root))
    remedy = f"copy {BASE}.toml and translate; languages are: {known}"
    return toml.load(root / _FOLDER / f"{code}.toml", _SCHEMA, remedy)


def _flat(table: Mapping[str, Any], above: str = "") -> dict[str, str]:
    """The strings of nested tables by their dotted keys."""
    found: dict[str, str] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{above}{key}.")
        else:
            found[above + key] = str(value)
    return found
