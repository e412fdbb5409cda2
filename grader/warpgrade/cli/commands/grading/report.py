"""`warpgrade report`: pages and tables of saved grades."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core.errors import UsageError
from ....core.paths import here
from ... import class_output
from ...command_groups import ListedCommand
from ...console import screen
from ...parameters import File

if TYPE_CHECKING:
    from ....records import Grades


@click.command(cls=ListedCommand, position=4)
@click.option("--out", type=File(), help="default: build/grades")
@click.option("--policy", "rules", type=File(), help="default: policy.toml")
@click.option("--anonymous", is_flag=True, help="also write pages without names, in the folder anonymous")
@click.option("--grader", default="", help="with --anonymous: only students of this grader in the roster")
def command(out: Path | None, rules: Path | None, anonymous: bool, grader: str) -> int:
    """Write the pages and tables again from saved results.

    Applies policy.toml and the review files as they are now. Needs no compiler and no GPU. Writes index.html,
    gradebook.csv and results.json.
    """
    from ....grading import by_hand, saved_grades
    from ....grading.listed import listed
    from ....report import anonymous_pages

    repository = here()
    out = out or repository.grades
    written = by_hand.find(repository, out, rules)
    with saved_grades.reopened(out) as graded:
        old = listed(graded, written.people)
        _need_students_of(grader, old)
        grades = saved_grades.saved(old, out, written)
        class_output.write(grades, out)
    class_output.show(grades, out)
    class_output.show_doubts(written, grades)
    class_output.show_changes(old, grades)
    if anonymous:
        names = by_hand.pseudonyms((student.id for student in grades.students), written.salt)
        page = anonymous_pages.write(grades, names, grader, out / "anonymous")
        screen().print(f"pages without names: {page}", markup=False, soft_wrap=True)
    return class_output.exit_code(grades)


def _need_students_of(grader: str, grades: Grades) -> None:
    """UsageError where a grader is named who has no students: most often a name that is mistyped."""
    known = sorted({student.grader for student in grades.students} - {""})
    if grader and grader not in known:
        names = f"the roster has {', '.join(known)}" if known else "the roster names no grader"
        raise UsageError(f"nobody in the class has the grader {grader!r}", remedy=names)
