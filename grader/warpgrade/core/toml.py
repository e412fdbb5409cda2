"""Read a TOML file that a person wrote, and find the line that a message speaks about, which tomllib does
not tell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*(?:\"([^\"]+)\"|([A-Za-z0-9_-]+))\s*=")


def parsed(content: bytes) -> tuple[str, dict[str, Any]]:
    """Text and tables. TOMLDecodeError says what is wrong, whatever it is."""
    try:
        text = content.decode("utf-8-sig")  # a mark is what some editors of Windows begin with
        return text, tomllib.loads(text)
    except UnicodeDecodeError:
        raise tomllib.TOMLDecodeError("is not UTF-8: save it as UTF-8") from None
    except RecursionError:
        raise tomllib.TOMLDecodeError("has tables within tables, too many to read") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of more digits than Python reads
        raise tomllib.TOMLDecodeError("has a number that is too long to read") from None


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """1-based line of the key at `path`, such as ("case", 2, "points").

    Where the key itself has no line of its own, the line of the innermost table around it;
    None where not even that is there. Knows tables, arrays of tables and plain keys: all that
    a lab.toml uses.
    """
    lines = _index(text)
    for length in range(len(path), 0, -1):
        found = lines.get(tuple(path[:length]))
        if found is not None:
            return found
    return None


def _index(text: str) -> dict[tuple[str | int, ...], int]:
    lines: dict[tuple[str | int, ...], int] = {}
    counts: dict[str, int] = {}
    table: tuple[str | int, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        key = _KEY.match(line)
        if header:
            name = header[2]
            table = tuple(part.strip(' "') for part in name.split("."))
            lines.setdefault(table, number)
            if header[1] == "[[":
                table = (*table, counts.get(name, 0))
                counts[name] = counts.get(name, 0) + 1
                lines[table] = number
        elif key:
            lines.setdefault((*table, key[1] or key[2]), number)
    return lines
