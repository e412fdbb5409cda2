"""`warpgrade export gradescope`: results.json of Gradescope's autograder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....export_commands import result_command

if TYPE_CHECKING:
    from .....records import Lab, Result


def _text(lab: Lab, result: Result, student: str) -> str:
    from .....export import gradescope

    return gradescope.results_json(lab, result)


command = result_command(
    _text, 1, "Print results.json for one kernel.\n\nFILE may be a folder such as /autograder/submission."
)
