"""Edits for a statement that is missing, or stands in another place: one that sets a sum to 0, a return of
threads without an element, a statement of the function once more or moved.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from ..reading.names import Variable, can_use
from ..reading.source import KernelSource
from ..reading.statements import Body, Statement
from .edit import Edit, Form, Kind, Replacement
from .guard_edits import tests
from .statement_edits import assigning, is_number

_LONGEST = 300  # characters of a statement that is copied
_BARRIERS_TOGETHER = 2
_MOST_GUARDS = 60


def resets(source: KernelSource, body: Body, known: Sequence[Variable]) -> Iterator[Edit]:
    """0 for what something is added to, before a statement."""
    found = assigning(source, body.statements)
    sums = (source.between(each.first, at - 1) for each, at in found
            if source.word(at) != "=" and is_number(source, each, at, known))  # fmt: skip
    for name in dict.fromkeys(sums):
        for point in body.points:
            if can_use(name, point + 1, known):
                yield _before(Kind.RESET, source, point, f"{name} = 0;", name)


def returns(source: KernelSource, body: Body, known: Sequence[Variable]) -> Iterator[Edit]:
    """A return of the threads for which a test does not hold, or one of two, as soon as these can be made."""
    if not body.is_kernel:
        return
    found: dict[str, int] = {}
    for point in body.outer:
        for test in tests(known, point + 1):
            found.setdefault(test, point)
    pairs = (pair for pair in itertools.combinations(found, 2) if _differ(*pair))
    single = ((test,) for test in found)
    for some in (*itertools.islice(single, _MOST_GUARDS), *itertools.islice(pairs, _MOST_GUARDS)):
        yield _return(source, some, found)


def _differ(one: str, other: str) -> bool:
    """Whether two tests are of different indices and different bounds."""
    return all(a != b for a, b in zip(one.split(" < "), other.split(" < "), strict=True))


def _return(source: KernelSource, found: Sequence[str], at: dict[str, int]) -> Edit:
    point = max(at[test] for test in found)
    return _before(Kind.RETURN, source, point, f"if (!({' && '.join(found)})) return;", "")


def repeated(source: KernelSource, body: Body, known: Sequence[Variable]) -> Iterator[Edit]:
    """A statement of the function once more, in another place."""
    for each, point in _elsewhere(source, body, known):
        text = source.between(each.first, each.last)
        yield _before(Kind.REPEATED, source, point, text, text)


def moved(source: KernelSource, body: Body, known: Sequence[Variable]) -> Iterator[Edit]:
    for each, point in _elsewhere(source, body, known):
        text = source.between(each.first, each.last)
        gone = Replacement(source.span(each.first, each.last), ";", Form.STATEMENT)
        there = Replacement(source.span(point, point), text, Form.BEHIND)
        yield Edit(Kind.MOVED, source.line(each.first), text, (gone, there))


def barriers_together(source: KernelSource, body: Body) -> Iterator[Edit]:
    """Two barriers more."""
    for points in itertools.combinations(body.barrier_points(source), _BARRIERS_TOGETHER):
        made = tuple(Replacement(source.span(n, n), "__syncthreads();", Form.BEHIND) for n in points)
        subject = source.word(points[0] + 1)
        yield Edit(Kind.BARRIER, source.line(points[0] + 1), subject, made)


def _elsewhere(
    source: KernelSource, body: Body, known: Sequence[Variable]
) -> Iterator[tuple[Statement, int]]:
    """Statements, each with the places where it could stand, too."""
    for each in body.statements:
        text = source.between(each.first, each.last)
        if len(text) > _LONGEST or "\n" in text:
            continue
        for point in body.points:
            if point not in (each.first - 1, each.last) and can_use(text, point + 1, known):
                yield each, point


def _before(kind: Kind, source: KernelSource, point: int, text: str, subject: str) -> Edit:
    """A statement more behind the token `point`, in the line of the next one."""
    made = Replacement(source.span(point, point), text, Form.BEHIND)
    return Edit(kind, source.line(point + 1), subject, (made,))
