"""The solution beside which a kernel is played: `play LAB --with solution`.

Staff have it in solutions/. A students' archive has it only for the labs that `compare_with_solution` in
handouts/course.toml names.
"""

from __future__ import annotations

from pathlib import Path

from ..core.errors import UsageError
from ..core.paths import Repository
from ..records import Lab

WORD = "solution"  # what is typed in place of a file
RELEASED = "solution.cu"  # labs/<lab>/solution.cu: of a students' archive


def of_lab(repository: Repository, lab: Lab) -> Path:
    """Its kernel. UsageError where this copy has none."""
    own, released = repository.solution(lab.name) / lab.files[0], repository.labs / lab.name / RELEASED
    for path in (own, released):
        if path.is_file():
            return path
    raise UsageError(
        f"the solution of {lab.name} is not in this copy of the course: "
        "whether you may compare with it is your instructors' decision",
        remedy="ask them (they list the lab in compare_with_solution in handouts/course.toml), "
        "or compare with another kernel of your own: --with FILE",
    )
