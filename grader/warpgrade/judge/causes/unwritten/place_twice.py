"""Advice where threads write one part of a shared array twice, and another part of it not at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ....records import Finding

CAUSE = "place-twice"
_TWICE = ("race-same-value", "race-write-write")
_NOBODY_WROTE = "uninitialised-read"
_GUESSES = ("", "too-few-threads")  # causes that a race shows to be wrong
_WORDS = (
    "Nobody writes {}, and threads {} and {} both write {}, in line {}: their places come from the same "
    "number. "
)
_SPLIT = "Where one number is split in two, / gives one of them and % the other."
_ROW = (
    "They have the same threadIdx.x, and nothing tells them apart by threadIdx.y: the number of a thread in "
    "its block is threadIdx.y * blockDim.x + threadIdx.x."
)


def with_explanation(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, with what explains reads of a shared array that two threads write in the same place."""
    found = list(findings)
    races: dict[tuple[str, str], Finding] = {}
    for finding in found:
        if finding.kind in _TWICE and not finding.cause and _is_of_one_store(finding) and _name(finding):
            races.setdefault((finding.label, _name(finding)), finding)
    return [_explained(finding, races.get((finding.label, _name(finding)))) for finding in found]


def _is_of_one_store(finding: Finding) -> bool:
    place, other = finding.place, finding.other
    return other is not None and place.line == other.line and place.access == other.access == "write"


def _name(finding: Finding) -> str:
    memory = finding.memory
    return memory.allocation if memory and memory.space == "shared" else ""


def _explained(finding: Finding, race: Finding | None) -> Finding:
    if finding.kind != _NOBODY_WROTE or (finding.cause or "") not in _GUESSES:
        return finding
    if race is None or race.other is None:
        return finding
    if finding.memory is None or race.memory is None:
        return finding
    threads = [str(each.thread).replace(" ", "") for each in (race.place, race.other)]
    words = _WORDS.format(
        finding.memory.words or "this place", *threads, race.memory.words or "another one", race.place.line
    )
    return replace(finding, cause=CAUSE, help=words + (_ROW if _is_other_row(race) else _SPLIT))


def _is_other_row(race: Finding) -> bool:
    """Whether its two threads differ in threadIdx.y alone."""
    one, other = race.place.thread, race.other.thread if race.other else ()
    return len(one) == len(other) > 1 and one[1] != other[1] and one[:1] + one[2:] == other[:1] + other[2:]
