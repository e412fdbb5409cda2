"""A student's progress: the last check of each lab, and the number of hints shown.

build/checks/ stores it for `list` and `hint`. Grades never depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ..core import store
from ..core.paths import Repository
from ..feedback import mistakes
from ..feedback.disclosure import hidden_cases, shown_cases
from ..records import Lab, LabKind, Result, Verdict


@dataclass(frozen=True)
class Progress:
    """One lab's last check. `points` is None without a check, or if the score was withheld."""

    lab: str
    points: float | None = None
    best: float = 0.0
    passed: int = 0
    cases: int = 0
    built: bool = False
    kernel: str = ""  # hash of the kernel that was checked
    hints: int = 0  # how many of the lab's hints were shown in their order
    named: tuple[str, ...] = ()  # mistakes that the last check named, of any file
    hinted: tuple[int, ...] = ()  # hints that were shown because of such mistakes, by their TODO
    right: tuple[str, ...] = ()  # questions that the last check found answered right


def read(repository: Repository, lab: str) -> Progress:
    return store.load(_folder(repository), lab, None, Progress) or Progress(lab)


def note_named(repository: Repository, lab: Lab, result: Result) -> None:
    """Store what hints follow, of a check of another file than the lab's own."""
    new = replace(
        read(repository, lab.name), named=mistakes.causes(lab, result), right=_right_answers(lab, result)
    )
    store.save(_folder(repository), lab.name, "", new)


def note_check(repository: Repository, lab: Lab, result: Result) -> Progress:
    """Store the result of a check of the lab's own kernel.cu."""
    old = read(repository, lab.name)
    total = result.score.total if result.score else None
    hidden = hidden_cases(lab, result)
    passed = sum(case.verdict is Verdict.PASS for case in shown_cases(lab, result))
    new = replace(
        old,
        points=total,
        best=max(old.best, total or 0.0),
        passed=passed + hidden.passed,
        cases=len(lab.cases),
        built=bool(result.judgement and result.judgement.build == "BUILT"),
        kernel=result.submission.hash if result.submission else "",
        named=mistakes.causes(lab, result),
        right=_right_answers(lab, result),
    )
    store.save(_folder(repository), lab.name, "", new)
    return new


def _right_answers(lab: Lab, result: Result) -> tuple[str, ...]:
    if lab.kind is not LabKind.ANSWERS:
        return ()
    return tuple(case.name for case in shown_cases(lab, result) if case.verdict is Verdict.PASS)


def forget_check(repository: Repository, lab: str) -> None:
    """Forget the last check, because its kernel no longer exists. The best points and the hints are kept."""
    old = read(repository, lab)
    store.save(_folder(repository), lab, "", Progress(lab, best=old.best, hints=old.hints))


def note_hinted(repository: Repository, lab: str, todos: tuple[int, ...]) -> None:
    """Store which hints were shown; this replaces what was stored before."""
    store.save(_folder(repository), lab, "", replace(read(repository, lab), hinted=todos))


def note_hints(repository: Repository, lab: str, shown: int) -> None:
    store.save(_folder(repository), lab, "", replace(read(repository, lab), hints=shown))


def _folder(repository: Repository) -> Path:
    return repository.root / "build" / "checks"
