"""Findings whose moment `play` shows: their numbers, the command for one, and the name of its page.

A number counts from 1 in the order in which `check` explains findings; `play --finding` takes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.paths import text_hash
from ..records import Finding, Lab, LabKind, Result, Visibility
from . import mistakes

FOLDER = "players"  # beside the students' pages
_DIGITS = 12


def findings(lab: Lab, result: Result) -> tuple[Finding, ...]:
    """Findings of visible cases in the threads of kernels that a harness launches, the first to explain
    first.
    """
    if lab.kind not in (LabKind.KERNELS, LabKind.DEBUG):
        return ()
    visible = {case.name for case in lab.cases if case.visibility is Visibility.VISIBLE}
    found = (each.finding for each in mistakes.in_order(lab, result) if each.finding)
    return tuple(each for each in found if each.label in visible and each.place.block)


def number(of: Sequence[Finding], group: Iterable[Finding]) -> int:
    """The number of the first of `group` that findings() holds, 0 where there is none."""
    return next((of.index(each) + 1 for each in group if each in of), 0)


def command(subject: str, number: int) -> str:
    """`subject`: the name of the lab, and the file if it is not its own: "NAME mine.cu"."""
    return f"play {subject} --finding {number}"


def page_names(lab: Lab, result: Result, student: str) -> dict[int, str]:
    """Number of a finding → path of its page below a class's output folder, whether it is made yet or not.

    The name changes with the kernel and the finding, so that no page of an earlier attempt is taken for it.
    """
    text = [file.text for file in result.submission.files] if result.submission else []
    return {
        number: f"{FOLDER}/{student}-{lab.name}-{number}-{text_hash(*text, repr(each))[:_DIGITS]}.html"
        for number, each in enumerate(findings(lab, result), 1)
    }
