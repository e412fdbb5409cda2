"""Wrong variants of a lab's solution, solutions/<lab>/mutants.toml, as data."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from ..core.errors import InstructorError
from ..core.paths import Repository
from ..core.toml import line_of
from ..records import Lab


@dataclass(frozen=True)
class PlantedBug:
    """Either a verdict in a case, or a technique whose points are lost."""

    name: str
    reason: str
    find: str
    replace: str
    verdict: str = ""
    case: str = ""
    technique: str = ""


def load(repository: Repository, lab: Lab) -> tuple[PlantedBug, ...]:
    """The lab's mutants; none where it has no such file. InstructorError names the line that is wrong."""
    file = repository.solution(lab.name) / "mutants.toml"
    if not file.is_file():
        return ()
    text = file.read_text(encoding="utf-8")
    try:
        rows = tomllib.loads(text)["mutant"]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise InstructorError(str(error), file=file, remedy="it holds tables [[mutant]]") from None
    found = []
    for index, row in enumerate(rows):
        try:
            found.append(PlantedBug(**row))
        except TypeError as error:
            raise InstructorError(
                str(error).split("__init__() ")[-1],
                file=file,
                line=line_of(text, ["mutant", index]),
                remedy="a mutant has name, reason, find, replace, and verdict and case or technique",
            ) from None
    return tuple(found)


def applied(mutant: PlantedBug, marked: str, file: str) -> str:
    """The marked solution with the mistake in it. InstructorError where `find` is not there once."""
    times = marked.count(mutant.find)
    if times != 1:
        raise InstructorError(
            f"the mutant {mutant.name!r} looks for text that stands there {times} times",
            file=file,
            remedy="correct its `find` in mutants.toml",
        )
    return marked.replace(mutant.find, mutant.replace)
