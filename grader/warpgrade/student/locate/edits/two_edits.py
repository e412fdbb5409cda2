"""A second edit on top of a first one, as an edit of the text before both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..reading.source import Span
from ..schemata import applied, placed
from .edit import Edit, Replacement


def before(second: Edit, first: Edit, text: str) -> Edit:
    """`second` is an edit of `applied(text, first)`."""
    changed, steps = applied(text, first), placed(first)
    made = tuple(replace(each, span=_span(each, steps)) for each in second.replacements)
    added = changed.count("\n", 0, second.replacements[0].span.start) - text.count(
        "\n", 0, made[0].span.start
    )
    subject = second.subject if second.subject in text else text[made[0].span.start : made[0].span.end]
    return Edit(second.kind, second.line - added, subject, made)


def _span(each: Replacement, steps: Sequence[tuple[Span, int]]) -> Span:
    return Span(_offset(each.span.start, steps, at_end=False), _offset(each.span.end, steps, at_end=True))


def _offset(at: int, steps: Sequence[tuple[Span, int]], *, at_end: bool) -> int:
    """The place in the text before an edit. `steps`: what it replaces there, and by how many characters; a
    place within these is the end or the beginning of what they replace.
    """
    shift = 0
    for span, length in steps:
        if at < span.start + shift + (1 if at_end else 0):
            break
        if at < span.start + shift + length + (1 if at_end else 0):
            return span.end if at_end else span.start
        shift += length - (span.end - span.start)
    return at - shift
