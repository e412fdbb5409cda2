"""Find the line of a TOML file that a message speaks about, which tomllib does not tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*(?:\"([^\"]+)\"|([A-Za-z0-9_-]+))\s*=")


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
