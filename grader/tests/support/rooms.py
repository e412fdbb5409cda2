"""The rooms of the emulator and of the harness, as the CMakeLists.txt of each lists them."""

from __future__ import annotations

import re
from pathlib import Path

# Programs with a target of their own: no room includes their headers.
APART = {"driver", "remoting", "tools"}
_ROW = re.compile(r"^(?:harness_)?room\((\S+)(?: SEES ([^)]*?))?(?: COLD)?\)", re.MULTILINE)


def rooms(tree: Path) -> dict[str, set[str]]:
    """Each room and the rooms whose headers it may include, in the table's order."""
    text = (tree / "CMakeLists.txt").read_text(encoding="utf-8")
    return {name: set(seen.split()) for name, seen in _ROW.findall(text)}
