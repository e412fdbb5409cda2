"""What a second grading changed, by student and case, and why."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from ..core import store
from ..core.errors import GraderError, UsageError
from ..core.formatting import points
from ..core.paths import typed
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
    return "; ".join(causes) or "the course's policy changed, or an error of the grader no longer occurs"


def _differs(old: Origin, new: Origin, name: str) -> bool:
    return bool(getattr(old, name) != getattr(new, name))


# --- two folders -------------------------------------------------------------------------------


def aside(out: Path) -> Path:
    """The folder of a second grading of `out` until it is accepted."""
    return out.with_name(f"{out.name}.regraded")


def start(out: Path) -> Path:
    """The folder for the new grading: a copy of the old one, so that only what is stale runs again."""
    place = aside(out)
    if not (out / "class.json").is_file():
        raise UsageError("holds no saved grades", file=out, remedy=f"{typed('grade')} first")
    try:
        shutil.copytree(out, place, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        raise GraderError(
            f"cannot be written: {error}"[:300], file=place, remedy="free some disk space there"
        ) from None
    return place


def accept(out: Path) -> Path:
    """Put the new grading in the old one's place. Returns the path to which the old one was moved."""
    number = 1
    while (kept := out.with_name(f"{out.name}.before-{number}")).exists():
        number += 1
    with store.claimed(out), store.claimed(aside(out)):
        try:
            out.rename(kept)
            aside(out).rename(out)
        except OSError as error:
            raise GraderError(f"cannot be renamed: {error.strerror}", file=out) from None
    return kept
