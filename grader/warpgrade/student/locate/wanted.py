"""Which cases an edit must make right: those of the kernels in which the first mistake shows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...feedback import mistakes
from ...records import Case, Lab, Result, Verdict, Visibility


@dataclass(frozen=True)
class WantedCases:
    """`cases`: that of the first mistake, the others that fail, and those that must stay right. `kernels`:
    whose cases they are; empty if all visible cases are among them. `launched`: in the case of the first
    mistake; empty if it broke off before that was noted.
    """

    cases: tuple[Case, ...]
    kernels: tuple[str, ...] = ()
    launched: frozenset[str] = frozenset()


def wanted_cases(lab: Lab, result: Result) -> WantedCases:
    """No cases if every visible one is right, or where a kernel cannot be launched: edits are run without the
    limits of machine code. In a lab with several kernels, one that is not written yet must not hide what is
    wrong in another.
    """
    judged = result.judgement.cases if result.judgement else ()
    if any(case.verdict is Verdict.RESOURCES for case in judged):
        return WantedCases(())
    right = {case.name for case in judged if case.verdict is Verdict.PASS}
    visible = [case for case in lab.cases if case.visibility is Visibility.VISIBLE]
    wrong = [case.name for case in visible if case.name not in right]
    if not wrong:
        return WantedCases(())
    shown = (name for name in _places(lab, result) if name in wrong)
    first = next(shown, wrong[0])
    kernels = {case.name: _kernels(case.name, result) for case in visible}
    alike = [case for case in visible if case.name == first or kernels[case.name] & kernels[first]]
    order = sorted(alike, key=lambda case: (case.name != first, case.name in right, math.prod(case.size)))
    shown_kernels = () if len(alike) == len(visible) else tuple(sorted(kernels[first]))
    return WantedCases(tuple(order), shown_kernels, frozenset(kernels[first]))


def _places(lab: Lab, result: Result) -> list[str]:
    """The cases in which mistakes show, in the order in which `check` names them."""
    found = mistakes.in_order(lab, result)
    return [each.case.name if each.case else each.finding.label if each.finding else "" for each in found]


def _kernels(case: str, result: Result) -> set[str]:
    return {launch.kernel for launch in result.run.launches if launch.label == case} if result.run else set()
