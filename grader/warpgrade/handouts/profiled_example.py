"""A run that a lab's handout reads: figures that `warpgrade runs` measured, and the kernel's text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import InstructorError
from ..core.paths import Repository, typed
from ..course import question_file
from ..records import Lab


@dataclass(frozen=True)
class ProfiledExample:
    """`figures`: by the names of perfmodel/launch_profile.py. `code`: a fenced listing of the kernel."""

    figures: dict[str, int | float | str]
    code: str

    def __getitem__(self, name: str) -> int | float | str:
        return self.figures[name]


def named(repository: Repository, item: Lab, kernel: str) -> ProfiledExample:
    """The example of that kernel, the program's first argument. InstructorError where none was measured."""
    rows = question_file.runs(question_file.load(Path(item.folder)), "examples")
    program = item.profiled
    first = program.arguments[0][0] if program else ""
    found = next((row for row in rows if row.get(first) == kernel), None)
    if program is None or found is None:
        message = f"has no run of {kernel!r} among its examples"
        remedy = f"add it to `examples` in lab.toml, then {typed(f'runs {item.name}')}"
        raise InstructorError(
            message, file=repository.solution(item.name) / question_file.RUNS, remedy=remedy
        )
    text = (repository.labs / item.name / program.file).read_text(encoding="utf-8")
    return ProfiledExample(found, f"```cuda\n{_kernel(text, kernel)}```\n")


def _kernel(text: str, name: str) -> str:
    """The definition of a kernel, from `__global__` to the bracket at the beginning of a line."""
    definition = re.search(rf"(?ms)^__global__ void {name}\(.*?^}}\n", text)
    return definition[0] if definition else ""
