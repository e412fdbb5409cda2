"""`warpgrade export autolab`: the line of scores that Autolab reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....export_commands import result_command

if TYPE_CHECKING:
    from .....records import Lab, Result


def _text(lab: Lab, result: Result, student: str) -> str:
    from .....export import formats

    return formats.autolab(lab, result) + "\n"


command = result_command(_text, 2, "Print the line of scores that Autolab reads.")
