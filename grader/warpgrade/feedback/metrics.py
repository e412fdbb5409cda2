"""What each counter of the emulator means, read from the emulator's own table."""

import re
from pathlib import Path

from ..core.paths import checkout

_ROW = re.compile(r'^METRIC\((\w+),\s*"([^"]+)",\s*"([^"]+)"\)', re.MULTILINE)


def table() -> Path:
    return checkout() / "grader" / "emulator" / "machine" / "metrics.def"


def meanings(table: Path) -> dict[str, str]:
    """Counter name → meaning, in the table's order; empty where there is no such file."""
    if not table.is_file():
        return {}
    return {name: meaning for _, name, meaning in _ROW.findall(table.read_text(encoding="utf-8"))}
