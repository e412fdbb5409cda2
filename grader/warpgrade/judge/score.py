"""Points from a verdict. Pure; every part has a sentence, and the parts add up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..core import formatting
from ..records import (
    BuildStatus,
    FaultVerdict,
    Judgement,
    Lab,
    Part,
    Performance,
    PerformanceVerdict,
    Score,
    Verdict,
)

_DIGITS = 2


def score(judgement: Judgement, lab: Lab) -> Score:
    """What the submission earned. The total is withheld where any part shows an error of the grader."""
    parts = (
        *_build(judgement, lab),
        *_cases(judgement, lab),
        *_techniques(judgement, lab),
        *_faults(judgement, lab),
        *_performance(judgement, lab),
    )
    parts = (*parts, *_deductions(judgement, lab, math.fsum(part.earned for part in parts)))
    withheld = judgement.build == BuildStatus.GRADER_ERROR or any(
        case.verdict == Verdict.GRADER_ERROR for case in judgement.cases
    )
    total = None if withheld else round(math.fsum(part.earned for part in parts), _DIGITS)
    return Score(total, round(math.fsum(part.possible for part in parts), _DIGITS), parts)


def class_total(totals: Sequence[float | None]) -> float | None:
    """The sum over a student's labs that have points. None if no lab has: an unknown total is not zero."""
    known = [total for total in totals if total is not None]
    return math.fsum(known) if known else None


def with_part(scored: Score, kind: str, name: str, points: float, sentence: str) -> Score:
    """The score with one more part. A deduction takes at most the points that are left. A withheld score gets
    the part, too, and stays withheld.
    """
    if scored.total is None:
        return replace(scored, parts=(*scored.parts, Part(kind, name, round(points, _DIGITS), 0.0, sentence)))
    earned = round(max(points, -scored.total), _DIGITS)
    part = Part(kind, name, earned, 0.0, sentence)
    return replace(scored, total=round(scored.total + earned, _DIGITS), parts=(*scored.parts, part))


def without_parts(scored: Score, kind: str) -> Score:
    """The score without the parts of that kind. Policies and reviews add such parts
    after the run was judged.
    """
    parts = tuple(part for part in scored.parts if part.kind != kind)
    if scored.total is None or parts == scored.parts:
        return replace(scored, parts=parts)
    return replace(scored, total=round(math.fsum(part.earned for part in parts), _DIGITS), parts=parts)


def nothing(lab: Lab, sentence: str) -> Score:
    """The score of a submission that could not be admitted: zero."""
    return Score(0.0, 100.0, (Part("build", "build", 0.0, lab.build_points, sentence),))


def performance_points(ratio: float, performance: Performance) -> float:
    """Logarithmic between `none` and `full`: 1 % of time never costs more than about 0.7 % of the points."""
    if ratio <= 0:
        return 0.0
    span = math.log(performance.full) - math.log(performance.none)
    share = (math.log(ratio) - math.log(performance.none)) / span
    return round(performance.points * min(1.0, max(0.0, share)), _DIGITS)


def _build(judgement: Judgement, lab: Lab) -> list[Part]:
    """The part for a build that compiles; no part if the lab gives no points for it."""
    built = judgement.build == BuildStatus.BUILT
    points = lab.build_points
    return [Part("build", "build", points if built else 0.0, points)] if points else []


def _cases(judgement: Judgement, lab: Lab) -> list[Part]:
    verdicts = {case.name: case for case in judgement.cases}
    parts = []
    for case in lab.cases:
        verdict = verdicts[case.name]
        share = verdict.credit if verdict.credit is not None else float(verdict.verdict == Verdict.PASS)
        earned = round(case.points * share, _DIGITS)
        parts.append(Part("case", case.name, earned, case.points, verdict.sentence))
    return parts


def _techniques(judgement: Judgement, lab: Lab) -> list[Part]:
    verdicts = {technique.name: technique for technique in judgement.techniques}
    parts = []
    for technique in lab.techniques:
        verdict = verdicts.get(technique.name)
        earned = technique.points if verdict is not None and verdict.met else 0.0
        sentence = verdict.sentence if verdict else "not judged"
        parts.append(Part("technique", technique.name, earned, technique.points, sentence))
    return parts


def _faults(judgement: Judgement, lab: Lab) -> list[Part]:
    """For each fault of a debugging lab: a part for its name, with no points if the name was not judged, and
    a part for the repair.
    """
    verdicts = {fault.name: fault for fault in judgement.faults or ()}
    parts = []
    for fault in lab.faults:
        verdict = verdicts.get(fault.name, FaultVerdict(fault.name, False, "not judged", False, "not judged"))
        possible = 0.0 if verdict.named is None else fault.named
        earned = fault.named if verdict.named else 0.0
        parts.append(Part("fault", f"{fault.name}-named", earned, possible, verdict.naming))
        if fault.repaired:
            earned = fault.repaired if verdict.repaired else 0.0
            parts.append(Part("fault", f"{fault.name}-repaired", earned, fault.repaired, verdict.sentence))
    return parts


def _deductions(judgement: Judgement, lab: Lab, earned: float) -> Iterator[Part]:
    """A negative part for each finding whose code the lab deducts points for, as long as points are left."""
    found = {code for case in judgement.cases for code in case.codes}
    for deduction in lab.deductions:
        if deduction.code in found:
            taken = min(deduction.points, earned)
            earned -= taken
            sentence = f"the lab takes {formatting.points(deduction.points)} points for {deduction.code}"
            yield Part("deduction", deduction.code, -taken, 0.0, sentence)


def _performance(judgement: Judgement, lab: Lab) -> list[Part]:
    """The part for speed; no part if the lab gives no points for it."""
    return [_speed(judgement.performance, lab)] if lab.performance.points else []


def _speed(verdict: PerformanceVerdict | None, lab: Lab) -> Part:
    points = lab.performance.points
    if verdict is None or verdict.ratio is None:
        return Part("performance", "performance", 0.0, points, verdict.sentence if verdict else "not timed")
    return Part(
        "performance",
        "performance",
        performance_points(verdict.ratio, lab.performance),
        points,
        verdict.sentence,
    )
