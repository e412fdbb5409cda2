"""The command to type after a check, and the reason."""

from __future__ import annotations

from dataclasses import dataclass

from ..core import formatting
from ..core.formatting import points
from ..records import BuildStatus, Lab, LabKind, Result, Verdict
from . import disclosure, mistakes, playable


@dataclass(frozen=True)
class Advice:
    why: str
    command: str  # without the program's name: "hint 05-scan"


def after(lab: Lab, result: Result, file: str = "", next_lab: str = "") -> Advice:
    """`file` is empty if the lab's own kernel.cu was checked; `next_lab` is the lab after this one."""
    again = f"check {lab.name}" + (f" {file}" if file else "")
    if result.problem and (result.score is None or result.score.total is None):
        return Advice("an error of the grader; doctor shows what is missing on this machine", "doctor")
    if result.build is None or result.build.status != BuildStatus.BUILT:
        return Advice("correct the first error, then", again)
    if lab.kind is LabKind.ANSWERS:
        return _after_answers(lab, result, again, next_lab)
    first = next(iter(mistakes.in_order(lab, result)), None)
    shown = disclosure.shown_cases(lab, result)
    bad = [case for case in shown if case.verdict not in (Verdict.PASS, Verdict.SKIPPED)]
    number = playable.number(
        playable.findings(lab, result), [first.finding] if first and first.finding else []
    )
    if number:
        subject = f"{lab.name} {file}".rstrip()
        return Advice("see how it comes to this, step by step", playable.command(subject, number))
    if first and first.finding and first.finding.code:
        return Advice("what this is, with a wrong and a right kernel", f"explain {first.finding.code}")
    if bad:
        leading = first.case if first else None
        return _after_wrong(lab, shown, leading or next((case for case in bad if case.case), bad[0]), again)
    hidden = disclosure.hidden_cases(lab, result)
    if hidden.passed < hidden.count:
        return Advice(f"a hidden size fails; allowed are {lab.sizes}", f"hint {lab.name}")
    left = _unrepaired(lab, result)
    if left:
        return Advice(f"what is left is the fault in {left[0]}; repair it, then", again)
    short = [part for part in (result.score.parts if result.score else ()) if part.earned < part.possible]
    if short and lab.kind is LabKind.PROGRAM:  # what its calls cost stands in no line
        return Advice(f"for a nudge towards {short[0].name}", f"hint {lab.name}")
    if short:
        return Advice(
            "where the time goes, line by line", f"profile {lab.name}" + (f" {file}" if file else "")
        )
    return _after_full_points(lab, next_lab)


def _unrepaired(lab: Lab, result: Result) -> list[str]:
    """The files with a fault that is not repaired yet."""
    verdicts = (result.judgement.faults or ()) if result.judgement else ()
    names = [verdict.name for verdict in verdicts if not verdict.repaired]
    return [fault.file for fault in lab.faults if fault.name in names]


def _after_full_points(lab: Lab, next_lab: str) -> Advice:
    if next_lab:
        return Advice(f"{_all_of(lab)}; the next lab", f"check {next_lab}")
    return Advice(f"{_all_of(lab)}; the archive to hand in", "pack")


def _all_of(lab: Lab) -> str:
    """ "full points", or which points come only at hand-in."""
    later = []
    if lab.elsewhere_points:
        later.append(f"{points(lab.elsewhere_points)} of cases that this copy does not hold")
    if named := sum(fault.named for fault in lab.faults):
        later.append(f"{points(named)} of the name of the fault")
    return (
        f"all points that a check can give; at hand-in come {' and '.join(later)}" if later else "full points"
    )


def _after_answers(lab: Lab, result: Result, again: str, next_lab: str) -> Advice:
    if any(part.earned < part.possible for part in (result.score.parts if result.score else ())):
        if lab.hints:
            return Advice("not all is right yet; for a nudge", f"hint {lab.name}")
        return Advice("read again how it is computed, correct an answer, then", again)
    return _after_full_points(lab, next_lab)


def _after_wrong(
    lab: Lab, shown: tuple[disclosure.ShownCase, ...], first: disclosure.ShownCase, again: str
) -> Advice:
    """`first`: the case that is drawn above."""
    visible = [case for case in shown if case.case]
    if visible and all(mistakes.is_untouched(case) for case in visible):
        return Advice(f"nothing writes {lab.covers or 'the results'} yet; for a start", f"hint {lab.name}")
    words = formatting.SIGNS[first.verdict].words
    if first.verdict is Verdict.RESOURCES:  # a hint about the algorithm does not help here
        return Advice("nothing was launched; correct that, then", again)
    return Advice(f"{words} in {first.name}; for a nudge", f"hint {lab.name}")
