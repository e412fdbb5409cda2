"""Finds what a lab still lacks: mutants, hints, cases, visibility, pages, timings.

It reads files, and asks the lab's harness, if it is built, which arrays it makes. Whether a mutant really
fails its case is tested with the course.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..answers import questions
from ..core.errors import InstructorError
from ..core.paths import Repository, typed
from ..course import lab, question_file
from ..records import LabKind
from ..solution import markers, planted_bugs
from .lab_gaps import cases, hints, mutants, pages
from .lab_gaps.gap import Gap, LabFiles


def gaps(repository: Repository, name: str) -> tuple[Gap, ...]:
    """What the lab lacks, the necessary things first. InstructorError if its files cannot be read."""
    item = lab.named(repository, name)
    text = (repository.labs / item.name / lab.FILE).read_text(encoding="utf-8")
    if item.kind is LabKind.ANSWERS:
        asked = questions.of_lab(repository, item.name)  # InstructorError if a question has no answer
        solution = repository.solution(item.name) / question_file.FILE
        files = LabFiles(repository, item, text, solution, "", (), ())
        own = [*hints.near_misses(files, asked), *hints.question_hints(files)]
    else:
        solution = repository.solution(item.name) / item.files[0]
        marked = _read(solution, typed(f"new {item.name}"))
        bugs = planted_bugs.load(repository, item.name)
        files = LabFiles(repository, item, text, solution, marked, markers.parse(marked, str(solution)), bugs)
        own = [
            *mutants.mutants(files), *mutants.lines(files), *hints.hints(files), *cases.cases(files),
            *cases.arrays(files), *cases.sizes(files), *cases.visibility(files), *cases.faults(files),
            *pages.timings(files),
        ]  # fmt: skip
    found = [*pages.skeleton(files), *own, *pages.syllabus(files), *pages.pages(files)]
    below = (replace(gap, file=_below(repository, gap.file)) for gap in found)
    return tuple(sorted(below, key=lambda gap: not gap.needed))


def _read(file: Path, command: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        raise InstructorError("is missing", file=file, remedy=f"write it, or type {command}") from None


def _below(repository: Repository, file: str) -> str:
    path = Path(file)
    return path.relative_to(repository.root).as_posix() if path.is_absolute() else file
