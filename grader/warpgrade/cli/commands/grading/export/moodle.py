"""`warpgrade export moodle`: fill a sheet of Moodle with points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....export_commands import sheet_command

if TYPE_CHECKING:
    from .....export.lms_sheets import Filled
    from .....records import Grades, Lab


def _fill(text: str, grades: Grades, lab: Lab, column: str, feedback: str) -> Filled:
    from .....export import lms_sheets

    return lms_sheets.moodle(text, grades, lab, column, feedback)


command = sheet_command(
    _fill, 7, "Fill a sheet of Moodle with one lab's points.\n\nSHEET: the file that Moodle exported."
)
