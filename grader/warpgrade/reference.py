"""The instructor's solution of a lab, compiled once and kept under build/references/<lab>/."""

from __future__ import annotations

from pathlib import Path

from . import store
from .build import FATBIN, Compiler, build
from .errors import InstructorError
from .house import text_hash
from .records import Build, BuildStatus, Lab, Submission
from .run import Reference
from .submission import from_file

_DIGITS = 16


def compile_reference(lab: Lab, compiler: Compiler, fingerprint: str) -> Reference:
    """`fingerprint` is of whatever a build depends on beside the solution.

    InstructorError where the solution is missing or does not build.
    """
    source = compiler.house.solution(lab.name) / lab.files[0]
    if not source.is_file():
        raise InstructorError("is missing: a lab needs a solution to compare with", file=source)
    solution = from_file(source, lab, "reference")
    key = text_hash(fingerprint, solution.hash, lab.kernel)
    folder = compiler.house.references / lab.name / key[:_DIGITS]
    known = store.load(folder, "build", key, Build)
    if known is None or not (folder / FATBIN).is_file():
        known = _built(solution, lab, compiler, folder, source)
        store.save(folder, "build", key, known)
    return Reference(folder / FATBIN, known)


def _built(solution: Submission, lab: Lab, compiler: Compiler, folder: Path, source: Path) -> Build:
    built = build(solution, lab, compiler, folder)
    if built.status != BuildStatus.BUILT:
        line = next((message.line for message in built.diagnostics if message.line), None)
        raise InstructorError(f"the solution does not build: {built.summary}", file=source, line=line)
    return built
