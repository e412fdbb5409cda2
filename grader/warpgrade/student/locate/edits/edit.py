"""One small edit of a kernel."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ..reading.source import KernelSource, Span


class Kind(enum.Enum):
    """What an edit changes. words.py says each in a sentence."""

    COMPONENT = enum.auto()  # threadIdx.x for threadIdx.y
    COMPONENTS = enum.auto()  # x and y of one of them, wherever it is used
    VARIABLE = enum.auto()
    EXCHANGED = enum.auto()  # two variables in one expression
    COMPARISON = enum.auto()
    OPERATOR = enum.auto()
    NUMBER = enum.auto()
    NEIGHBOUR = enum.auto()  # one more or less
    SUBSCRIPTS = enum.auto()  # [a][b] for [b][a]
    ASSIGNMENT = enum.auto()
    ATOMIC = enum.auto()
    BARRIER = enum.auto()
    RESET = enum.auto()  # of a sum
    RETURN = enum.auto()  # of threads without an element
    REPEATED = enum.auto()  # a statement
    MOVED = enum.auto()  # a statement
    REMOVED = enum.auto()  # a statement
    JUMP = enum.auto()  # continue for break
    CONDITION = enum.auto()
    GUARD = enum.auto()  # a condition more
    DROPPED = enum.auto()  # a term or factor
    ADDED = enum.auto()  # a term or factor


class Form(enum.Enum):
    """How a replacement stands in the text."""

    EXPRESSION = enum.auto()
    STATEMENT = enum.auto()
    BEHIND = enum.auto()  # a statement behind the span


@dataclass(frozen=True)
class Replacement:
    span: Span
    text: str
    form: Form = Form.EXPRESSION


@dataclass(frozen=True)
class Edit:
    """`subject`: what is changed, as it stands in the file. All replacements together are one edit."""

    kind: Kind
    line: int
    subject: str
    replacements: tuple[Replacement, ...]


def of_tokens(kind: Kind, source: KernelSource, first: int, last: int, text: str, subject: str = "") -> Edit:
    """Other text for an expression, which reaches from one token to another."""
    named = subject or source.between(first, last)
    return Edit(kind, source.line(first), named, (Replacement(source.span(first, last), text),))
