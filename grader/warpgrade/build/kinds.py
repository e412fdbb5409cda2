"""How a submission is built, by the kind of its lab, and the file that the build makes."""

from __future__ import annotations

from pathlib import Path

from ..core.paths import file_hash, text_hash
from ..records import Build, Lab, LabKind, Submission
from .compiler import FATBIN, Compiler, build
from .program import PROGRAM, build_program


def product(lab: Lab) -> str:
    """Name of the file next to the saved build."""
    return PROGRAM if lab.kind is LabKind.PROGRAM else FATBIN


def with_product(key: str, made: Path) -> str:
    """The key of a saved build and the file next to it: if the file was changed or truncated, it is built
    again."""
    return text_hash(key, file_hash(made) if made.is_file() else "")


def build_submission(
    submission: Submission, lab: Lab, compiler: Compiler, out: Path, like: Build | None = None
) -> Build:
    """Build into `out`. `like`: a build whose kernels' parameters the kernels of a kernel lab must have."""
    if lab.kind is LabKind.PROGRAM:
        return build_program(submission, lab, compiler, out)
    return build(submission, lab, compiler, out, like)
