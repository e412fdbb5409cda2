"""`warpgrade export moodle`: points in a sheet of Moodle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...export_commands import sheet_command

if TYPE_CHECKING:
    from ....export.lms_sheets import Filled
    from ....records import Grades, Lab


def _fill(text: str, grades: Grades, lab: Lab, column: str, feedback: str) -> Filled:
    from ....export import lms_sheets

    return lms_sheets.moodle(text, grades, lab, column, feedback)


command = sheet_command(
    _fill, 7, "Fill one lab's points into Moodle's sheet.\n\nSHEET: as it was downloaded."
)
