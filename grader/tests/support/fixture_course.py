"""A course of the labs in fixtures/course/, in a folder of its own, with this checkout's tools.

Each lab there has its three folders and no line elsewhere; the skeletons are cut when the course is made.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from warpgrade.core.paths import Repository
from warpgrade.solution import skeletons

from . import borrowed_tools

ROOT = borrowed_tools.ROOT
FIXTURES = ROOT / "grader" / "tests" / "fixtures" / "course"


def make(root: Path) -> Repository:
    """The course at `root`, whose labs' harnesses `make test-programs` has built."""
    for folder in ("labs", "solutions"):
        shutil.copytree(FIXTURES / folder, root / folder)
    borrowed_tools.lend_course(root, harnesses="build/tests/labs")
    shutil.copytree(FIXTURES / "handouts", root / "handouts", dirs_exist_ok=True)
    skeletons.make(root, check=False)
    return Repository(root)
