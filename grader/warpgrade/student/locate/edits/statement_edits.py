"""Edits of whole statements: assignments, barriers, conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..reading.names import INTEGER, Variable
from ..reading.source import KernelSource
from ..reading.statements import Body, Region, Statement
from .edit import Edit, Form, Kind, Replacement, of_tokens

_COMPOUND = ("+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>=")
_BARRIER = "__syncthreads();"
_OTHER_JUMPS = {"break": ("continue;",), "continue": ("break;",), "return": ("continue;", "break;")}
_BASE = re.compile(r"const |\*|\[\]")  # what a kind says beside the type


def conditions(source: KernelSource, regions: Sequence[Region]) -> Iterator[Edit]:
    """A condition that always or never holds."""
    for region in regions:
        if region.is_condition:
            for word in ("true", "false"):
                yield of_tokens(Kind.CONDITION, source, region.first, region.last, word)


def assignments(
    source: KernelSource, statements: Sequence[Statement], known: Sequence[Variable]
) -> Iterator[Edit]:
    """`=` for `+=` and back."""
    for each, at in assigning(source, statements):
        for other in ("=", "+=", "-=") if is_number(source, each, at, known) else ():
            if other != source.word(at):
                text = (
                    f"{source.between(each.first, at - 1)} {other} {source.between(at + 1, each.last - 1)};"
                )
                yield _instead(Kind.ASSIGNMENT, source, each, text)


def atomics(
    source: KernelSource, statements: Sequence[Statement], known: Sequence[Variable]
) -> Iterator[Edit]:
    for each, at in assigning(source, statements):
        if source.word(at) == "+=" and is_number(source, each, at, known):
            place, value = source.between(each.first, at - 1), source.between(at + 1, each.last - 1)
            yield _instead(Kind.ATOMIC, source, each, f"atomicAdd(&({place}), {value});")


def barriers(source: KernelSource, body: Body) -> Iterator[Edit]:
    """A barrier more, between two statements."""
    for point in body.barrier_points(source):
        after = Replacement(source.span(point, point), _BARRIER, Form.BEHIND)
        yield Edit(Kind.BARRIER, source.line(point + 1), source.word(point + 1), (after,))


def is_number(source: KernelSource, each: Statement, at: int, known: Sequence[Variable]) -> bool:
    """Whether a number is assigned: no pointer, and no vector as a whole."""
    if any(source.word(number) in (".", "->") for number in range(each.first, at)):
        return True  # a part
    kinds = [one.kind for one in known if one.name == source.word(each.first)]
    is_moved = at == each.first + 1 and any(kind.endswith("*") for kind in kinds)
    return not is_moved and all(_BASE.sub("", kind) in (INTEGER, "floating") for kind in kinds)


def other_jumps(source: KernelSource, body: Body) -> Iterator[Edit]:
    """Out of one turn of a loop in place of the whole loop or the kernel."""
    for each in body.jumps:
        for text in _OTHER_JUMPS.get(source.word(each.first), ()):
            yield _instead(Kind.JUMP, source, each, text)


def removed(source: KernelSource, body: Body) -> Iterator[Edit]:
    """Nothing for a statement, or for a return or another jump that gives no value."""
    for each in (*body.statements, *body.jumps):
        yield _instead(Kind.REMOVED, source, each, ";")


def _instead(kind: Kind, source: KernelSource, each: Statement, text: str) -> Edit:
    made = Replacement(source.span(each.first, each.last), text, Form.STATEMENT)
    return Edit(kind, source.line(each.first), source.between(each.first, each.last), (made,))


def assigning(source: KernelSource, statements: Sequence[Statement]) -> Iterator[tuple[Statement, int]]:
    """The statements that are one assignment, with its operator."""
    for each in statements:
        at = _assignment(source, each)
        if at is not None:
            yield each, at


def _assignment(source: KernelSource, each: Statement) -> int | None:
    """The operator of an assignment that is the whole statement."""
    at = each.first
    while at < each.last:
        word = source.word(at)
        if word == "=" or word in _COMPOUND:
            return at if at > each.first else None
        if word == ",":
            return None
        at = source.partner.get(at, at) if word in ("(", "[", "{") else at
        at += 1
    return None
