"""Advice on a race in global memory where a kernel has a lock, and an access is not under it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ....records import Finding, Place, Submission
from ..source_text import beside

CAUSE = "outside-the-lock"
_KINDS = ("global-race", "global-race-same-value")
_TAKES = re.compile(r"\bwhile\b[^;{}]{0,20}\batomic(?:CAS|Exch)\s*+\(\s*+(&?\w[\w.\[\]]{0,60}+)\s*+,")
_GIVES = re.compile(r"\batomicExch\s*+\(\s*+(&?\w[\w.\[\]]{0,60}+)\s*+,\s*+0")
_KERNEL = re.compile(r"\b__(?:global|device)__\b")
_MOST = 20  # locks that are looked at
_WORDS = (
    "Line {} is not under the lock, which line {} takes and line {} gives back: another block may be at work "
    "on {} meanwhile. Take the lock before the first access to what it protects, and give it back behind the "
    "last one, with __threadfence() in between."
)


@dataclass(frozen=True)
class _Lock:
    taken: int  # line
    given_back: int


def advised(finding: Finding, submission: Submission | None) -> Finding:
    """The finding with advice; unchanged where both accesses are under the lock, or there is none."""
    if finding.kind not in _KINDS or finding.cause or finding.other is None or finding.memory is None:
        return finding
    lines = beside(finding.place, submission).split("\n")
    for place in (finding.place, finding.other):
        lock = _beside(place, lines)
        if lock and not lock.taken < place.line <= lock.given_back:
            what = finding.memory.words or "it"
            words = _WORDS.format(place.line, lock.taken, lock.given_back, what)
            return replace(finding, cause=CAUSE, help=words)
    return finding


def _beside(place: Place, lines: list[str]) -> _Lock | None:
    """The lock that the function around the place takes and gives back once."""
    found = [lock for lock in _locks(lines) if _is_in_one_function(lines, lock, place.line)]
    return found[0] if len(found) == 1 else None


def _locks(lines: list[str]) -> Iterator[_Lock]:
    takes = ((number, found[1]) for number, line in enumerate(lines, 1) if (found := _TAKES.search(line)))
    gives = [(number, found[1]) for number, line in enumerate(lines, 1) if (found := _GIVES.search(line))]
    for taken, name in itertools.islice(takes, _MOST):
        behind = [number for number, other in gives if other == name and number > taken]
        if len(behind) == 1:
            yield _Lock(taken, behind[0])


def _is_in_one_function(lines: list[str], lock: _Lock, at: int) -> bool:
    first, last = min(lock.taken, at), max(lock.given_back, at)
    return not any(_KERNEL.search(line) for line in lines[first - 1 : last])
