"""Sizes that the course draws: a student's own check takes the smallest, the grade is made with others."""

from __future__ import annotations

from ..core import formatting
from ..records import Lab, Result, Verdict
from .disclosure import shown_cases, verdict_of


def sentence(lab: Lab, result: Result) -> str:
    """What a student should know where such a size matters: only cases of such sizes are wrong, or none is.
    Else empty.
    """
    shown = [case.name for case in shown_cases(lab, result)]
    drawn = [case.name for case in lab.cases if case.drawn and case.name in shown]
    verdicts = {case.name: verdict_of(result, case.name) for case in lab.cases}
    all_pass = set(verdicts.values()) == {Verdict.PASS}
    wrong = {name for name in shown if verdicts[name] not in (Verdict.PASS, Verdict.SKIPPED)}
    only_drawn = bool(wrong) and wrong <= set(drawn)
    names = [*drawn, *(["the timed run"] if lab.performance.drawn else [])]
    if not names or not (all_pass or only_drawn):
        return ""
    return (
        f"Your course draws the size of {formatting.listed(names)}. Here it is the smallest possible one; "
        "your grade is made with another."
    )
