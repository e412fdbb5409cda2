"""The meaning of each counter of the emulator, read from the emulator's own table."""

from pathlib import Path

from ...core.paths import checkout
from ...tables import def_table


def table() -> Path:
    return checkout() / "grader" / "emulator" / "machine" / "counters" / "metrics.def"


def meanings(table: Path) -> dict[str, str]:
    """Counter name → meaning, in the table's order; empty if there is no such file."""
    if not table.is_file():
        return {}
    return {name: meaning for _, name, meaning in def_table.rows(table, "METRIC")}
