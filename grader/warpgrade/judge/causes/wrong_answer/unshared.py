"""A variable that one thread of a block sets and that the others read: each has one of its own.

bool is_last = false;
if (threadIdx.x == 0) is_last = …;
__syncthreads();
if (!is_last) return;  // all return but thread 0
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....records import Finding, Place, Submission
from ..source_text import bare, block_end

CAUSE = "not-shared"
_CHECKS = ("init", "race", "barrier")
_THREAD = re.compile(r"\b(\w++)\s*+=\s*+threadIdx\.[xyz]\s*+[;,]")  # const int t = threadIdx.x;
_OF_ONE = re.compile(r"\bif\s*+\(\s*+(?:!\s*+([\w.]++)|([\w.]++)\s*+==\s*+\w++)\s*+\)\s*+")
_ASSIGNED = re.compile(r"(?:^|[;{})])\s*+([^\W\d]\w*+)\s*+=(?!=)")
_DECLARED = (
    r"(?:^|[;{}])(\s*+(?:[\w:]++\s++){0,4}?)(?:bool|int|unsigned|long|float|double|char|size_t|auto)\s++"
)
_BARRIER = re.compile(r"\b__syncthreads\s*+\(")
# What hands a lane's or a thread's value to others.
_HANDED_ON = re.compile(r"__shfl|__ballot|__any|__all|__reduce|__match|__syncthreads_")
_LONGEST = 2000  # characters of what a condition guards, and of what lies between a declaration and its use
_MOST = 50  # conditions of a file that are looked at


@dataclass(frozen=True)
class Unshared:
    name: str
    set_in: int  # line
    scope: tuple[int, int]  # lines from its declaration to the end of its block

    @property
    def words(self) -> str:
        return (
            f"{self.name} is set in line {self.set_in} by one thread alone, and each has a variable of "
            "its own: the others go by what theirs began with. Declare it __shared__, so that the block has "
            "one."
        )


def advised(finding: Finding, submission: Submission | None) -> Finding:
    """The finding with this cause, if a place of it lies where such a variable is known."""
    if submission is None or finding.check not in _CHECKS:
        return finding
    places = [place for place in (finding.place, finding.other, finding.left) if place and place.line]
    found = next(filter(None, (_at(place, submission) for place in places)), None)
    return replace(finding, cause=CAUSE, help=found.words) if found else finding


def in_any(submission: Submission | None) -> Unshared | None:
    """The first such variable in any of the files."""
    files = submission.files if submission else ()
    return next((each for file in files for each in variables(bare(file.text))), None)


def _at(place: Place, submission: Submission) -> Unshared | None:
    text = bare(submission.source(place.file.rsplit("/", 1)[-1]) or "")
    return next((each for each in variables(text) if each.scope[0] <= place.line <= each.scope[1]), None)


@functools.lru_cache(maxsize=4)  # each finding of a submission asks for it
def variables(text: str) -> Sequence[Unshared]:
    """The variables of this kind in a text without comments."""
    threads = {"threadIdx.x", "threadIdx.y", *_THREAD.findall(text)}
    conditions = itertools.islice(_OF_ONE.finditer(text), _MOST)
    spans = [(at.end(), _end(text, at.end())) for at in conditions if (at[1] or at[2]) in threads]
    return tuple(found for span in spans for found in _set_in(text, span, spans))


def _end(text: str, begin: int) -> int:
    """Place behind the statement or block that begins at `begin`."""
    depth = 0
    for at in range(begin, min(len(text), begin + _LONGEST)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth <= 0 and text[at] in ";}":
            return at + 1
    return begin


def _set_in(text: str, span: tuple[int, int], spans: Sequence[tuple[int, int]]) -> Iterator[Unshared]:
    for name in dict.fromkeys(_ASSIGNED.findall(text[slice(*span)])):
        before = text[max(0, span[0] - _LONGEST) : span[0]]
        declared = list(re.finditer(rf"{_DECLARED}{name}\s*+(?:=[^;,]{{0,200}})?+[;,]", before))
        if not declared or "__" in declared[-1][1]:  # __shared__
            continue
        begin = span[0] - len(before) + declared[-1].end()
        end = block_end(text, begin, 4 * _LONGEST)
        if _is_read_by_others(name, text, (begin, end), span, spans):
            lines = (text.count("\n", 0, begin) + 1, text.count("\n", 0, end) + 1)
            at = text.index(name, span[0])
            yield Unshared(name, text.count("\n", 0, at) + 1, lines)


def _is_read_by_others(
    name: str, text: str, scope: tuple[int, int], span: tuple[int, int], spans: Sequence[tuple[int, int]]
) -> bool:
    """Whether threads that have not set it read it behind a barrier, and nothing else gives it a value."""
    barrier = _BARRIER.search(text, *(span[1], scope[1]))
    if barrier is None:
        return False
    uses = [use.start() for use in re.finditer(rf"(?<![\w.>]){name}\b", text[: scope[1]])]
    others = [at for at in uses if scope[0] <= at and not span[0] <= at < span[1]]
    if any(_is_set(text, at, name) or _HANDED_ON.search(_statement(text, at)) for at in others):
        return False
    alone = [at for at in others if any(first <= at < last for first, last in spans)]
    return any(at > barrier.start() for at in others if at not in alone)


def _is_set(text: str, at: int, name: str) -> bool:
    before, behind = text[max(0, at - 3) : at].rstrip(), text[at + len(name) : at + len(name) + 4].lstrip()
    changed = re.match(r"(?:[-+*/|&^%]|<<|>>)?=(?!=)|\+\+|--", behind)
    return changed is not None or (before.endswith(("&", "++", "--")) and not before.endswith("&&"))


def _statement(text: str, at: int) -> str:
    """The statement's text from its beginning to `at`."""
    begin = max(text.rfind(sign, max(0, at - 200), at) for sign in ";{}")
    return text[max(0, begin) : at]
