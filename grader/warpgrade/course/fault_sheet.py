"""The file in which a student names the faults of a lab, as students get it: one table for each fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.paths import IN_A_CHECKOUT
from ..records import Verdict

UNANSWERED = "?"
# Verdicts by which a fault is named. A wrong number has no line.
WORDS = tuple(
    each.value.lower()
    for each in (Verdict.BARRIER, Verdict.CRASH, Verdict.MEMORY, Verdict.RACE, Verdict.TIMEOUT)
)


def blank(lab: str, file: str, faults: Sequence[Mapping[str, Any]]) -> str:
    """`faults`: the rows [[fault]] of lab.toml whose answers stand in `file`."""
    lines = [
        f"# Lab {lab}: name each fault before you repair it; then type: {IN_A_CHECKOUT} check {lab}",
        "# line: a whole number, of the kernel's file as you got it, counted from 1",
        f"# verdict: the word for what it causes: {', '.join(WORDS)}",
        "# `check` says whether this file can be read; whether it is right, you learn with your grade.",
    ]
    for fault in faults:
        where = f"{fault['kernel']} in {fault['file']}"
        lines += ["", f"[{fault['name']}]  # {where}", "line = 0", f'verdict = "{UNANSWERED}"']
    return "\n".join(lines) + "\n"
