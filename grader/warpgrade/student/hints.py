"""Hints of a lab, the next one at each call. student/progress.py stores how many were shown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from rich.markup import escape

from ..core.errors import UsageError
from ..core.paths import Repository
from ..records import Hint, Lab, LabKind
from . import progress


def lines(repository: Repository, lab: Lab, todo: int | None, width: int) -> Iterator[str]:
    """The next hint, or the hint for TODO(`todo`), as lines of rich markup."""
    if not lab.hints:
        yield f"{lab.name} has no hints"
        return
    if todo is not None:
        yield from _hint_lines(_chosen(lab, todo), lab, repository, width)
        return
    order = sorted(lab.hints, key=lambda hint: hint.todo)
    done = progress.read(repository, lab.name)
    if lab.kind is LabKind.ANSWERS:
        yield from _of_open_questions(done, order, lab, repository, width)
        return
    fitting = _after(done, order)
    if fitting is not None:
        yield from _hint_lines(fitting, lab, repository, width)
        progress.note_hinted(repository, lab.name, (*done.hinted, fitting.todo))
        yield "[dim]for what the last check named; the same command again for more[/]"
        return
    if done.named and not any(cause in hint.after for cause in done.named for hint in order):
        yield "[dim]no hint is about what the last check named; the next one in their order:[/]"
    shown = done.hints
    if shown >= len(order):
        yield f"[dim]these were all {len(order)} hints of {lab.name}; from the first again:[/]"
        shown = 0
    yield from _hint_lines(order[shown], lab, repository, width)
    progress.note_hints(repository, lab.name, shown + 1)
    yield _left_line(len(order) - shown - 1)


def _of_open_questions(
    done: progress.Progress, hints: list[Hint], lab: Lab, repository: Repository, width: int
) -> Iterator[str]:
    """The next hint about a question that the last check did not find answered correctly. Other hints would
    not help.
    """
    wanted = [hint for hint in hints if _subject(lab, hint.todo)[0] not in done.right]
    if not wanted:
        yield f"[green]every question of {lab.name} is answered right[/]"
        return
    new = [hint for hint in wanted if hint.todo not in done.hinted]
    if not new:
        yield "[dim]these were the hints for all open questions; from the first again:[/]"
    shown, *left = new or wanted
    yield from _hint_lines(shown, lab, repository, width)
    progress.note_hinted(repository, lab.name, (*(done.hinted if new else ()), shown.todo))
    yield _left_line(len(left))


def _left_line(left: int) -> str:
    return f"[dim]{f'{left} more: the same command again' if left else 'this was the last one'}[/]"


def _after(done: progress.Progress, hints: list[Hint]) -> Hint | None:
    """The first mistake of the last check that has a hint decides the hint, unless that hint was shown for it
    before.
    """
    fitting = (hint for cause in done.named for hint in hints if cause in hint.after)
    return next((hint for hint in fitting if hint.todo not in done.hinted), None)


def _chosen(lab: Lab, todo: int) -> Hint:
    found = next((hint for hint in lab.hints if hint.todo == todo), None)
    if found is None:
        numbers = ", ".join(str(hint.todo) for hint in lab.hints)
        raise UsageError(f"{lab.name} has no hint for TODO({todo})", remedy=f"there are hints for {numbers}")
    return found


def _hint_lines(hint: Hint, lab: Lab, repository: Repository, width: int) -> Iterator[str]:
    what, pattern = _subject(lab, hint.todo)
    place = _place(repository, lab, pattern)
    lost = f"[dim]of {escape(lab.files[0])} as you got it[/]"
    yield f"[bold]{escape(what)}[/]  {f'[cyan]{escape(place)}[/]' if place else lost}"
    yield from (f"  {escape(line)}" for line in textwrap.wrap(hint.text, width - 2, break_on_hyphens=False))


def _subject(lab: Lab, todo: int) -> tuple[str, str]:
    """The subject of a hint (a TODO or a question) and a pattern that finds it."""
    if lab.kind is LabKind.ANSWERS and todo <= len(lab.cases):
        name = lab.cases[todo - 1].name
        return name, rf"(?m)^{re.escape(name)}\s*="
    return f"TODO({todo})", rf"TODO\({todo}\)"


def _place(repository: Repository, lab: Lab, pattern: str) -> str:
    """File and line of the pattern in the student's file, relative to the course's folder; empty if it is not
    there.
    """
    file = repository.labs / lab.name / lab.files[0]
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(pattern, text)
    line = text.count("\n", 0, found.start()) + 1 if found else 0
    return f"{file.relative_to(repository.root)}:{line}" if found else ""
