"""Points that a result has by chance: it is right, and depends on a variable that has no value."""

from __future__ import annotations

from ..core import formatting
from ..records import Lab, Result, Verdict
from .disclosure import shown_findings, verdict_of

_KIND = "uninitialised-variable"


def sentence(lab: Lab, result: Result) -> str:
    """What a student should know where cases that are shown are right by chance; else empty."""
    found = [each for each in shown_findings(lab, result) if each.kind == _KIND]
    found = [each for each in found if verdict_of(result, each.label) is Verdict.PASS]
    if not found:
        return ""
    lines = [f"{line}" for line in sorted({each.place.line for each in found})]
    where = f"line {lines[0]} uses" if len(lines) == 1 else f"lines {formatting.listed(lines)} use"
    return (
        f"Some of these points are by luck: {where} a variable without a value ({found[0].code}). On a GPU "
        "it need not begin with 0."
    )
