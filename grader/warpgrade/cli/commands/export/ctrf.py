"""`warpgrade export ctrf`: a CTRF report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...export_commands import result_command

if TYPE_CHECKING:
    from ....records import Lab, Result


def _text(lab: Lab, result: Result, student: str) -> str:
    from ....export import formats

    return formats.ctrf(lab, result)


command = result_command(_text, 4, "Common Test Report Format, JSON.")
