"""`warpgrade export canvas`: fill a sheet of Canvas with points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....export_commands import sheet_command

if TYPE_CHECKING:
    from .....export.lms_sheets import Filled
    from .....records import Grades, Lab


def _fill(text: str, grades: Grades, lab: Lab, column: str, feedback: str) -> Filled:
    from .....export import lms_sheets

    return lms_sheets.canvas(text, grades, lab, column)


command = sheet_command(
    _fill, 6, "Fill a sheet of Canvas with one lab's points.\n\nSHEET: the file that Canvas exported."
)
