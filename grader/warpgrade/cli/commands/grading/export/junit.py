"""`warpgrade export junit`: a JUnit report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....export_commands import result_command

if TYPE_CHECKING:
    from .....records import Lab, Result


def _text(lab: Lab, result: Result, student: str) -> str:
    from .....export import formats

    return formats.junit(lab, result, student)


command = result_command(_text, 3, "Print JUnit XML for continuous integration.")
