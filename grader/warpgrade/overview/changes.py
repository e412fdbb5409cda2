"""What a grading changed, by student and part of the score, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from ..core.formatting import points
from ..records import Grades, Origin, Result

_WORDS = {
    "lab": "lab.toml changed",
    "submission": "another submission",
    "grader": "the grader changed",
    "toolkit": "another toolkit",
    "device": "another device",
    "seed": "another salt",
    "tools": "emulator, harness, solution or data changed",
}


@dataclass(frozen=True)
class Change:
    """One line of the table. `what` is a part of the score ("case first"), or "total"."""

    student: str
    lab: str
    what: str
    before: str
    after: str
    reason: str


def changes(old: Grades, new: Grades) -> tuple[Change, ...]:
    """Every total that differs, followed by the cases and parts that explain it."""
    before = {(student.id, result.lab): result for student in old.students for result in student.results}
    after = {(student.id, result.lab): result for student in new.students for result in student.results}
    found: list[Change] = []
    for student, lab in sorted(before.keys() | after.keys()):
        found += _of_result(student, lab, before.get((student, lab)), after.get((student, lab)))
    return tuple(found)


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
    """One for each lab of `new` that anybody handed in."""
    before = _by_lab(old) if old else {}
    after = _by_lab(new)
    return tuple(
        _summary(lab.name, before, after) for lab in new.labs if any(k[1] == lab.name for k in after)
    )


def _by_lab(grades: Grades) -> dict[tuple[str, str], Result]:
    return {(student.id, result.lab): result for student in grades.students for result in student.results}


def _summary(
    lab: str, before: dict[tuple[str, str], Result], after: dict[tuple[str, str], Result]
) -> LabSummary:
    kinds = [_kind(before.get(key), result) for key, result in after.items() if key[1] == lab]
    return LabSummary(lab, *(kinds.count(kind) for kind in ("new", "higher", "lower", "otherwise", "same")))


def _kind(old: Result | None, new: Result) -> str:
    if old is None:
        return "new"
    was, now = (each.score.total if each.score else None for each in (old, new))
    if was is not None and now is not None and was != now:
        return "higher" if now > was else "lower"
    return "same" if (was, old.attempt, _steps(old)) == (now, new.attempt, _steps(new)) else "otherwise"


def of_known(found: Sequence[Change], old: Grades) -> tuple[Change, ...]:
    """The changes of results that were there before."""
    known = _by_lab(old).keys()
    return tuple(change for change in found if (change.student, change.lab) in known)


def _of_result(student: str, lab: str, old: Result | None, new: Result | None) -> Iterator[Change]:
    rows = list(_of_parts(student, lab, old, new))
    if rows or _total(old) != _total(new):
        yield Change(student, lab, "total", _total(old), _total(new), _reason(old, new))
        yield from rows


def _of_parts(student: str, lab: str, old: Result | None, new: Result | None) -> Iterator[Change]:
    before, after = _steps(old), _steps(new)
    for name in dict.fromkeys((*before, *after)):
        (was, _), (now, why) = before.get(name, ("–", "")), after.get(name, ("–", ""))
        if was != now:
            yield Change(student, lab, name, was, now, why)


def _steps(result: Result | None) -> dict[str, tuple[str, str]]:
    """Part of the score → its points (with a case's verdict) and its sentence."""
    if result is None or result.score is None:
        return {}
    cases = result.judgement.cases if result.judgement else ()
    verdicts = {case.name: f"{case.verdict} " for case in cases}
    return {
        f"{part.kind} {part.name}": (
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
    causes = [_WORDS[name] for name in differing]
    return "; ".join(causes) or "policy.toml or a review changed, or an error of the grader no longer occurs"


def _differs(old: Origin, new: Origin, name: str) -> bool:
    return bool(getattr(old, name) != getattr(new, name))
