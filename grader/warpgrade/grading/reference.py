"""The instructor's solution of a lab, compiled once and kept under build/references/<lab>/.

A students' copy of the course has no solutions. There, labs/<lab>/reference.json holds the solution's
build and the counters of its timed launches.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..build.compiler import Compiler, inputs
from ..build.kinds import build_submission, product
from ..core import store
from ..core.errors import InstructorError
from ..core.paths import text_hash
from ..records import Build, BuildStatus, Lab, Launch, Submission
from ..run.run import Reference
from ..submission.admit import from_file

RELEASED = "reference"  # labs/<lab>/reference.json
_DIGITS = 16


@dataclass(frozen=True)
class Released:
    """Numbers about the solution, without its code."""

    build: Build
    launches: tuple[Launch, ...]


def compile_reference(lab: Lab, compiler: Compiler, fingerprint: str) -> Reference:
    """`fingerprint`: hash of everything else that a build depends on.

    InstructorError where the solution is missing or does not build.
    """
    source = compiler.repository.solution(lab.name) / lab.files[0]
    if not source.is_file():
        released = store.load(compiler.repository.labs / lab.name, RELEASED, None, Released)
        if released is not None:
            return Reference(None, released.build, released.launches)
        raise InstructorError("is missing: a lab needs a solution to compare with", file=source)
    solution = from_file(source, lab, "reference")
    key = text_hash(fingerprint, solution.hash, inputs(lab))
    folder = compiler.repository.references / lab.name / key[:_DIGITS]
    known = store.load(folder, "build", key, Build)
    if known is None or not (folder / product(lab)).is_file():
        known = _built(solution, lab, compiler, folder, source)
        store.save(folder, "build", key, known)
    return Reference(folder / product(lab), known)


def _built(solution: Submission, lab: Lab, compiler: Compiler, folder: Path, source: Path) -> Build:
    built = build_submission(solution, lab, compiler, folder)
    if built.status != BuildStatus.BUILT:
        line = next((message.line for message in built.diagnostics if message.line), None)
        raise InstructorError(f"the solution does not build: {built.summary}", file=source, line=line)
    return built
