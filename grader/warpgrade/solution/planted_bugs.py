"""Wrong variants of a lab's solution, each with one mistake: solutions/<lab>/mutants.toml."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, fields

from ..core import toml
from ..core.errors import InstructorError
from ..core.paths import Repository
from ..records import Lab, Verdict


@dataclass(frozen=True)
class PlantedBug:
    """`find` is replaced by `replace`. Then `case` gets `verdict`, or the points for `technique` are lost."""

    name: str
    reason: str
    find: str
    replace: str
    verdict: str = ""
    case: str = ""
    technique: str = ""


_MOST_PLACES = 5
# What is wrong with a mutant; the others say that nothing is, or that nobody knows.
_VERDICTS = [each for each in Verdict if each not in (Verdict.PASS, Verdict.SKIPPED, Verdict.GRADER_ERROR)]
_SCHEMA = {
    "description": "a [[mutant]] has name, reason, find, replace, and either verdict and case or technique",
    "type": "object",
    "additionalProperties": False,
    "required": ["mutant"],
    "properties": {
        "mutant": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "reason", "find", "replace"],
                "properties": {field.name: {"type": "string"} for field in fields(PlantedBug)}
                | {"verdict": {"enum": _VERDICTS}},
                "if": {"required": ["technique"]},
                "else": {"required": ["verdict", "case"]},
            },
        }
    },
}


def load(repository: Repository, lab: str) -> tuple[PlantedBug, ...]:
    """The lab's mutants; empty if it has no mutants.toml. InstructorError names the line that is wrong."""
    file = repository.solution(lab) / "mutants.toml"
    if not file.is_file():
        return ()
    return tuple(PlantedBug(**row) for row in toml.load(file, _SCHEMA).data["mutant"])


def unknown_name(mutant: PlantedBug, lab: Lab) -> str:
    """What is wrong with the mutant's case or technique if lab.toml does not have it; "" if it does."""
    name = mutant.technique or mutant.case
    known = [each.name for each in (lab.techniques if mutant.technique else lab.cases)]
    return "" if name in known else f"the mutant {mutant.name!r} names {name!r}, which lab.toml does not have"


def places(mutant: PlantedBug, marked: str) -> str:
    """Where the text that the mutant replaces begins: " (lines 12, 30)"; "" if nowhere."""
    before = marked.split(mutant.find)[:-1] if mutant.find else []
    ends = itertools.accumulate(before, lambda so_far, part: so_far + mutant.find + part)
    lines = [str(text.count("\n") + 1) for text in itertools.islice(ends, _MOST_PLACES)]
    return f" (lines {', '.join(lines)})" if lines else ""


def applied(mutant: PlantedBug, marked: str, file: str) -> str:
    """The marked solution with the mistake in it. InstructorError unless `find` occurs exactly once."""
    times = marked.count(mutant.find)
    if times != 1:
        raise InstructorError(
            f"the text that the mutant {mutant.name!r} replaces occurs {times} times{places(mutant, marked)}",
            file=file,
            remedy="correct its `find` in mutants.toml: it must occur exactly once",
        )
    return marked.replace(mutant.find, mutant.replace)
