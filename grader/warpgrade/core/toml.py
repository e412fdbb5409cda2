"""Read and check a TOML file that a person wrote: the one loader for all of them.

`load` parses the file and checks it against a JSON Schema; `check` does the same for text that is part of a
file. Every error is an InstructorError with the file and the line of the key, which tomllib does not give.
Dates of TOML have the types "date" and "datetime" in a schema.
"""

from __future__ import annotations

import contextlib
import copy
import datetime
import difflib
import functools
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from . import handwritten
from .errors import InstructorError
from .paths import checkout, text_hash

Schema = Mapping[str, Any] | Path  # a JSON Schema whose description is the remedy, or the file that holds it
# How tomllib ends a message. Before Python 3.14 its error has no other place for the line.
_PLACE = re.compile(r"(?<!\s)\s*\(at (?:line (\d+), column \d+|end of document)\)")
_HEADER = re.compile(r"^\s*(\[\[?)([^\[\]]+)\]\]?\s*(?:#.*)?$")
_RANKS = {"additionalProperties": 0, "required": 2}  # of kinds of errors; others: 1
_MOST_LINES = 5  # that a message names
_MOST_PARTS = 20  # of a header: of one with more, tables of arrays are not distinguished
_KEY = re.compile(r"^\s*(?:\"([^\"]+)\"|([A-Za-z0-9_-]+))\s*=")


class TomlMistake(ValueError):
    """A text that is no TOML. `message` lacks the place; `line` is None at the end or where it is unknown."""

    def __init__(self, words: str, remedy: str = "see https://toml.io") -> None:
        super().__init__(words)
        self.remedy = remedy
        place = _PLACE.search(words)
        self.message = _PLACE.sub("", words)
        self.line = int(place[1]) if place and place[1] else None


@dataclass(frozen=True)
class Document:
    """A file that satisfies its schema."""

    file: Path
    text: str
    data: dict[str, Any]

    def error(self, message: str, *path: str | int, remedy: str = "") -> InstructorError:
        """An error with the line of the key at `path`, such as ("case", 2, "points")."""
        return InstructorError(message, file=self.file, line=line_of(self.text, path), remedy=remedy)


def load(file: Path, schema: Schema, remedy: str = "") -> Document:
    """The checked content of `file`. `remedy`: what to do where the file is missing.

    InstructorError with the line for a syntax error, an unknown key, a missing key or a wrong value.
    """
    remedy = remedy or "write a file of that name"
    try:
        content = handwritten.content(file, remedy)
    except FileNotFoundError:
        raise InstructorError("is missing", file=file, remedy=remedy) from None
    return check(file, content, schema)


def check(file: Path, content: bytes, schema: Schema) -> Document:
    """`content` as a document; errors name `file`."""
    try:
        text, data = parsed(content)
    except TomlMistake as error:
        raise _syntax_error(file, content, schema, error) from None
    document = Document(file, text, data)
    endless = next(_not_finite(data, ()), None)
    if endless is not None:
        raise document.error(f"{_dotted(endless)} is not a finite number", *endless, remedy="write a number")
    _check(document, schema)
    return document


def _syntax_error(file: Path, content: bytes, schema: Schema, error: TomlMistake) -> InstructorError:
    """A misspelt header often shows only further down, where tomllib finds two tables of one name."""
    tables = json.loads(_schema_text(schema)).get("properties", {})
    lines = content.decode("utf-8", "replace").splitlines() if tables else []
    for number, header in enumerate(map(_HEADER.match, lines), 1):
        name = header[2].strip().partition(".")[0] if header else ""
        if header and name not in tables:
            near = difflib.get_close_matches(name, tables, 1)
            message = f"unknown table {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
            return InstructorError(message, file=file, line=number, remedy=f"known are {', '.join(tables)}")
        if header and header[1] == "[" and header[2].strip() == name and tables[name].get("type") == "array":
            message = f"[{name}] is one of several: it has two pairs of brackets"
            return InstructorError(message, file=file, line=number, remedy=f"write [[{name}]]")
    return InstructorError(str(error), file=file, line=error.line, remedy=error.remedy)


def _not_finite(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """The path of each nan and inf: no comparison of a schema excludes nan."""
    if isinstance(value, float) and not math.isfinite(value):
        yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from _not_finite(inner, (*path, key))


def _check(document: Document, schema: Schema) -> None:
    """Check against the schema, once for each content: importing jsonschema takes 0.1 s."""
    # One empty file for each (schema, text) that passed.
    known = checkout() / "build" / "checked" / text_hash(_schema_text(schema), document.text)
    if known.exists():
        return
    text = document.text
    errors = sorted(
        _validator(_schema_text(schema)).iter_errors(document.data),
        # A misspelt key or word comes before the missing keys that follow from it.
        key=lambda e: (_RANKS.get(e.validator, 1), line_of(text, _path(e)) or 0, e.message),
    )
    if errors:
        more = _further([line_of(text, _path(error)) for error in errors])
        if isinstance(schema, Path):
            remedy = f"the keys and what they may be are in {schema.relative_to(Path(__file__).parents[3])}"
        else:
            remedy = str(schema.get("description", "correct it, and type the same again"))
        raise document.error(_sentence(errors[0]) + more, *_path(errors[0]), remedy=remedy)
    with contextlib.suppress(OSError):  # a read-only folder: the file is checked each time
        known.parent.mkdir(parents=True, exist_ok=True)
        known.touch()


def _further(lines: Sequence[int | None]) -> str:
    """What follows the first of several mistakes: " (3 more, in lines 7, 12)"; "" after the only one."""
    places = sorted({line for line in lines[1:] if line})[:_MOST_LINES]
    where = f", in line{'s' * (len(places) > 1)} {', '.join(map(str, places))}" if places else ""
    return f" ({len(lines) - 1} more{where})" if len(lines) > 1 else ""


def _schema_text(schema: Schema) -> str:
    return schema.read_text(encoding="utf-8") if isinstance(schema, Path) else json.dumps(schema)


@functools.cache
def _validator(schema: str) -> Any:
    import jsonschema

    plain, extend = jsonschema.Draft202012Validator, cast("Any", jsonschema.validators.extend)
    types = plain.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: type(value) is int,  # 2e6 is a float
            "date": lambda _, value: type(value) is datetime.date,
            "datetime": lambda _, value: isinstance(value, datetime.datetime),
        }
    )
    return extend(plain, type_checker=types)(json.loads(schema))


def _unknown_keys(error: Any) -> list[str]:
    return sorted(set(error.instance) - set(error.schema.get("properties", {})))


def _path(error: Any) -> list[str | int]:
    path: list[str | int] = list(error.absolute_path)
    if error.validator == "additionalProperties":
        return [*path, _unknown_keys(error)[0]]
    if error.validator == "required" and (meant := _misspelt(error)):
        return [*path, meant]
    if "propertyNames" in error.absolute_schema_path:
        return [*path, str(error.instance)]
    return path


def _missing(error: Any) -> str:
    return str(next(key for key in error.validator_value if key not in error.instance))


def _misspelt(error: Any) -> str:
    """The key that may be the missing one, misspelt; else ""."""
    unknown = [str(key) for key in error.instance if key not in error.schema.get("properties", {})]
    return next(iter(difflib.get_close_matches(_missing(error), unknown, 1)), "")


def _sentence(error: Any) -> str:
    where = _dotted(error.absolute_path)
    if error.validator == "additionalProperties":
        keys = ", ".join(repr(key) for key in _unknown_keys(error))
        known = ", ".join(sorted(error.schema["properties"]))
        return f"unknown key {keys}{f' in {where}' if where else ''}; known are {known}"
    if error.validator == "required":
        message = f"lacks the key {_missing(error)!r}"
        message += f"; is {meant!r} meant to be it?" if (meant := _misspelt(error)) else ""
    elif error.validator in ("pattern", "oneOf") and "title" in error.schema:
        message = f"{error.instance!r} is no {error.schema['title']}"
    else:
        message = str(error.message)
    return f"{where}: {message}" if where else message


def _dotted(path: Sequence[str | int]) -> str:
    words = [f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(words).removeprefix(".")


def parsed(content: bytes) -> tuple[str, dict[str, Any]]:
    """Text and tables. TomlMistake for every kind of mistake."""
    try:
        text, tables = _decoded(content)
        return text, copy.deepcopy(tables)
    except UnicodeDecodeError:
        raise TomlMistake("is not UTF-8", "save it as UTF-8") from None
    except RecursionError:
        raise TomlMistake("has tables within tables, too many to read") from None
    except tomllib.TOMLDecodeError as error:
        raise TomlMistake(str(error)) from None
    except ValueError:  # more digits than Python converts
        raise TomlMistake("has a number that is too long to read") from None


@functools.lru_cache(maxsize=256)
def _decoded(content: bytes) -> tuple[str, dict[str, Any]]:
    """The text and the one copy of its tables, which nobody may change. A command reads the same few files
    hundreds of times, and parsing takes ten times as long as copying.
    """
    text = content.decode("utf-8-sig")  # some editors on Windows begin a file with a byte-order mark
    return text, tomllib.loads(text)


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """1-based line of the key at `path`, such as ("case", 2, "points").

    If the key has no line of its own, the line of the innermost table around it; None if that is missing
    too. Understands tables, arrays of tables and plain keys, not dotted keys.
    """
    lines = _index(text)
    for length in range(len(path), 0, -1):
        found = lines.get(tuple(path[:length]))
        if found is not None:
            return found
    return None


def _resolved(parts: Sequence[str], counts: Mapping[str, int], is_new: bool) -> tuple[str | int, ...]:
    """The path of a header: [technique.where] belongs to the last [[technique]]."""
    if len(parts) > _MOST_PARTS:
        return tuple(parts)
    path: list[str | int] = []
    for at, part in enumerate(parts, 1):
        path.append(part)
        count = counts.get(".".join(parts[:at]), 0)
        if count and not (is_new and at == len(parts)):
            path.append(count - 1)
    return tuple(path)


def _index(text: str) -> dict[tuple[str | int, ...], int]:
    lines: dict[tuple[str | int, ...], int] = {}
    counts: dict[str, int] = {}
    table: tuple[str | int, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        key = _KEY.match(line)
        if header:
            name = header[2].strip()
            table = _resolved([part.strip(' "') for part in name.split(".")], counts, header[1] == "[[")
            lines.setdefault(table, number)
            if header[1] == "[[":
                table = (*table, counts.get(name, 0))
                counts[name] = counts.get(name, 0) + 1
                lines[table] = number
        elif key:
            lines.setdefault((*table, key[1] or key[2]), number)
    return lines
