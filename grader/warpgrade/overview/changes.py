"""What a grading changed, by student and part of the score, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, fields
from operator import attrgetter

from ..core.formatting import points
from ..core.side_by_side import side_by_side
from ..records import Grades, Origin, Part, Result, Student

_KINDS = ("new", "higher", "lower", "otherwise", "same")  # in the order of LabSummary's fields
_WORDS = {
    "lab": "lab.toml changed",
    "submission": "another submission",
    "grader": "the grader changed",
    "toolkit": "another toolkit",
    "device": "another device",
    "seed": "another salt",
    "tools": "emulator, harness, solution or data changed",
}
_ADJUSTMENT = "adjustment"
_WORDS_OF_PARTS = {  # by kinds of parts that no run gives
    "review": "a review changed",
    _ADJUSTMENT: "late days or an adjustment: policy.toml changed, or another lab left other free days",
}
SAME_TOTAL = "the same"  # after: where only parts of the total changed
_NO_PART = ("–", "")
_CENT = 0.01
_OTHER_TIME = "handed in at another time"


@dataclass(frozen=True)
class Change:
    """One line of the table. `what` is a part of the score ("case first"), or "total"."""

    student: str
    lab: str
    what: str
    before: str
    after: str
    reason: str
    is_known: bool = True  # whether the student had a result in this lab before


def changes(old: Grades, new: Grades) -> Iterator[Change]:
    """Every total that differs, followed by the cases and parts that explain it."""
    for both in _pairs(old, new):
        yield from _of_result(both)


@dataclass(frozen=True)
class _BeforeAndAfter:
    """A student's results in one lab; at least one of both is there."""

    student: str
    lab: str
    old: Result | None
    new: Result | None


def _pairs(old: Grades | None, new: Grades) -> Iterator[_BeforeAndAfter]:
    """Both results of each student in each lab, ordered by student, then by lab."""
    known = old.students if old else ()
    for before, after in side_by_side(known, new.students, key=attrgetter("id")):
        was, now = _by_lab(before), _by_lab(after)
        name = (after or before).id  # type: ignore[union-attr]
        for lab in sorted(was.keys() | now.keys()):
            yield _BeforeAndAfter(name, lab, was.get(lab), now.get(lab))


def _by_lab(student: Student | None) -> dict[str, Result]:
    return {result.lab: result for result in (student.results if student else ())}


@dataclass(frozen=True)
class LabSummary:
    """How many results of a lab are new, and how many known ones changed."""

    lab: str
    new: int
    higher: int
    lower: int
    otherwise: int  # withheld or no longer so, another attempt or other parts with the same total
    same: int

    def __str__(self) -> str:
        words = {"new": self.new, "with more points": self.higher, "with fewer points": self.lower,
                 "otherwise changed": self.otherwise, "unchanged": self.same}  # fmt: skip
        return f"{self.lab}: " + ", ".join(f"{count} {word}" for word, count in words.items() if count)


def summaries(old: Grades | None, new: Grades) -> tuple[LabSummary, ...]:
    """The summary of each lab of `new` that anybody handed in."""
    kinds = Counter((both.lab, _kind(both.old, both.new)) for both in _pairs(old, new) if both.new)
    labs = {lab for lab, _ in kinds}
    return tuple(
        LabSummary(lab.name, *(kinds[lab.name, kind] for kind in _KINDS))
        for lab in new.labs
        if lab.name in labs
    )


def _kind(old: Result | None, new: Result | None) -> str:
    """One of _KINDS, of a result that is there now."""
    if old is None or new is None:
        return "new"
    was, now = (each.score.total if each.score else None for each in (old, new))
    if was is not None and now is not None and was != now:
        return "higher" if now > was else "lower"
    return "otherwise" if was != now or old.attempt != new.attempt or _differing(old, new) else "same"


def _of_result(both: _BeforeAndAfter) -> Iterator[Change]:
    rows, was, now = list(_of_parts(both)), _total(both.old), _total(both.new)
    if both.new is None or _kind(both.old, both.new) != "same":
        reason = _reason(both.old, both.new)
        now = SAME_TOTAL if was == now else now
        yield Change(both.student, both.lab, "total", was, now, reason, both.old is not None)
        yield from rows


def _of_parts(both: _BeforeAndAfter) -> Iterator[Change]:
    for name, was, now, why in _differing(both.old, both.new):
        yield Change(both.student, both.lab, name, was, now, why, both.old is not None)


def _differing(old: Result | None, new: Result | None) -> list[tuple[str, str, str, str]]:
    """Name, points before, points now and sentence of each part that earned otherwise. A sentence alone is no
    change: that of a speed differs in every run.
    """
    before, after = _steps(old), _steps(new)
    both = ((name, before.get(name, _NO_PART), after.get(name, _NO_PART)) for name in {**before, **after})
    return [(name, was, now, why) for name, (was, _), (now, why) in both if was != now]


def _steps(result: Result | None) -> dict[str, tuple[str, str]]:
    """Part of the score → its points (with a case's verdict) and its sentence."""
    if result is None or result.score is None:
        return {}
    cases = result.judgement.cases if result.judgement else ()
    verdicts = {case.name: f"{case.verdict} " for case in cases}
    return {
        part.full_name: (
            (verdicts.get(part.name, "") if part.kind == "case" else "")
            + f"{points(part.earned)}/{points(part.possible)}",
            part.sentence,
        )
        for part in result.score.parts
    }


def _total(result: Result | None) -> str:
    if result is None:
        return "–"
    total = result.score.total if result.score else None
    return "withheld" if total is None else points(total)


def _reason(old: Result | None, new: Result | None) -> str:
    if old is None or new is None:
        return "handed in since" if old is None else "no longer there"
    if old.origin is None or new.origin is None:
        return "graded by an older grader"
    differing = [field.name for field in fields(Origin) if _differs(old.origin, new.origin, field.name)]
    before, after = (set(result.score.parts) if result.score else set() for result in (old, new))
    kinds = {part.kind for part in before ^ after}
    if kinds and kinds <= _WORDS_OF_PARTS.keys():
        causes = [_WORDS[name] for name in differing if name == "submission"]
        causes += _reasons_in_parts(old, new, kinds)
    else:
        causes = [_WORDS[name] for name in differing]
    return "; ".join(causes) or "policy.toml or a review changed, or an error of the grader no longer occurs"


def _reasons_in_parts(old: Result, new: Result, kinds: Set[str]) -> Iterator[str]:
    """Why the score of what ran as before changed, by the kinds of the parts that did."""
    for kind, words in _WORDS_OF_PARTS.items():
        if kind == _ADJUSTMENT and old.submitted == new.submitted and _follow(old, new):
            continue
        if kind in kinds:
            yield _OTHER_TIME if kind == _ADJUSTMENT and old.submitted != new.submitted else words


def _follow(old: Result, new: Result) -> bool:
    """Whether late days and adjustments are those of before, and take the same share of other points."""
    (was, before), (now, after) = map(_adjustments, (old, new))
    return (
        before != after
        and [part.name for part in was] == [part.name for part in now]
        and all(
            one.earned == two.earned
            or abs(one.earned * after - two.earned * before) <= _CENT * (before + after)
            for one, two in zip(was, now, strict=True)
        )
    )


def _adjustments(result: Result) -> tuple[list[Part], float]:
    """The parts by which the policy changed the score, and the points before."""
    parts = result.score.parts if result.score else ()
    earned = math.fsum(part.earned for part in parts if part.kind != _ADJUSTMENT)
    return [part for part in parts if part.kind == _ADJUSTMENT], earned


def _differs(old: Origin, new: Origin, name: str) -> bool:
    return bool(getattr(old, name) != getattr(new, name))
