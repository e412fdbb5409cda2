"""Pictures for a student's page: what one warp accesses at each line of the kernel, and which warps wait
where.

Made from a recording of the student's own kernel in one visible case.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from ..core.messages import Messages
from ..course import work
from ..course.arrays import ELEMENTS
from ..course.expressions import parse
from ..records import Case, Lab, LaunchShape, Visibility
from ..run.trace import BARRIER, Access, Recording
from . import accesses, element_accesses

_MOST = 8
_KINDS = frozenset({"global load", "global store", "shared load", "shared store"})


@dataclass(frozen=True)
class LinePicture:
    """The pictures of one line of the kernel; `line` 0 for the time line of barriers."""

    line: int
    source: str
    figures: tuple[Markup, ...]


def case_to_record(lab: Lab, shape: LaunchShape | None) -> Case | None:
    """The smallest visible case that meets the lab's condition, else the largest visible one, if any."""
    visible = [case for case in lab.cases if case.visibility is Visibility.VISIBLE]
    covered = (*shape.outputs, 1, 1) if shape else (0, 0, 0)
    elements = dict(zip(ELEMENTS, covered, strict=False))
    fit = [case for case in visible if lab.pictures and parse(lab.pictures).value(case.parameters | elements)]
    if fit:
        return min(fit, key=lambda case: work.of(lab, case.size).counted)
    return max(visible, key=lambda case: work.of(lab, case.size).counted, default=None)


def pictures(
    words: Messages, made: Recording, file: str, source: str, prefix: str
) -> tuple[LinePicture, ...]:
    """`file`: the kernel's name in the recording; `prefix` begins the ids of the figures."""
    found = [*_timeline(words, made, prefix)]
    lines = source.split("\n")
    firsts = enumerate(_firsts(made, file, len(lines)))
    for line, group in itertools.groupby(firsts, key=lambda numbered: numbered[1].line):
        drawn = tuple(_drawn(words, made, access, f"{prefix}-line-{at}") for at, access in group)
        found.append(LinePicture(line, lines[line - 1].strip(), drawn))
    return tuple(found)


def _drawn(words: Messages, made: Recording, access: Access, id: str) -> Markup:
    if access.kind.startswith("shared"):
        return accesses.bank_use(words, access, id, made.array(access))
    return element_accesses.elements(words, made, access, id)


def _firsts(made: Recording, file: str, lines: int) -> list[Access]:
    """Warp 0's first access of each kind to each array at each line, in the file's order."""
    found: dict[tuple[int, str, str], Access] = {}
    for access in made.accesses:
        if access.warp == 0 and access.kind in _KINDS and access.file == file and 0 < access.line <= lines:
            array = made.array(access)
            if access.lanes and (
                access.kind.startswith("shared") or element_accesses.can_be_drawn(made, access)
            ):
                found.setdefault((access.line, access.kind, array), access)
    return sorted(found.values(), key=lambda access: access.line)[:_MOST]


def _timeline(words: Messages, made: Recording, prefix: str) -> Iterator[LinePicture]:
    if any(access.kind == BARRIER for access in made.accesses):
        yield LinePicture(0, "", (accesses.timeline(words, made, f"{prefix}-timeline"),))
