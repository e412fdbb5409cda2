"""Entries that share a name, a number or an e-mail address. Each is graded; staff see who they are.

Names are compared without case, spaces and Unicode form, so that Zoë is the same name however it is composed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import archive
from .admit import SubmissionEntry, printable
from .roster import folded

_MOST, _SOME = 20, 4  # notes of a class; entries that a note names


def notes(entries: Sequence[SubmissionEntry]) -> tuple[str, ...]:
    """One sentence for each group of entries that share a name; the same group is not reported twice."""
    groups: dict[str, dict[int, str]] = {}
    for number, entry in enumerate(entries):
        for name in _names(entry):
            groups.setdefault(folded(name), {}).setdefault(number, name)
    shared: dict[tuple[int, ...], str] = {}
    for members in groups.values():
        if len(members) > 1:
            shared.setdefault(tuple(members), next(iter(members.values())))
    sentences = [_sentence(name, [entries[each] for each in group]) for group, name in shared.items()]
    more = (
        [f"{len(sentences) - _MOST} more names are shared by several entries"]
        if len(sentences) > _MOST
        else []
    )
    return (*sentences[:_MOST], *more)


def _names(entry: SubmissionEntry) -> Iterator[str]:
    yield from filter(None, entry.ids)
    yield entry.name or archive.stem(entry.path.name)


def _sentence(name: str, group: Sequence[SubmissionEntry]) -> str:
    rows = [f"{entry.student} ({printable(entry.path.name)})" for entry in group[:_SOME]]
    more = f" and {len(group) - _SOME} more" if len(group) > _SOME else ""
    return (
        f"{printable(name)} stands for {len(group)} entries: {', '.join(rows)}{more}. "
        "Each is graded by itself; look who they are before you enter points"
    )
