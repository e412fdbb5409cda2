"""Points for how a result was reached: what the counters of one case say against the lab's limit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..course import evidence
from ..course.evidence import BANK_CONFLICTS
from ..course.expressions import NoValue, Number, parse
from ..records import Lab, Launch, LaunchShape, Run, Technique, TechniqueVerdict, Verdict


class _NotMeasured(Exception):
    """The run lacks something that the technique needs; the message names it."""


def judge_technique(
    technique: Technique,
    run: Run,
    lab: Lab,
    verdicts: Mapping[str, Verdict],
    instructions: Mapping[str, int] | None = None,
) -> TechniqueVerdict:
    """Whether the technique is met, with the two numbers that were compared. It is not judged if the case
    that it is measured on is not right.

    `instructions`: for each pattern of ptx(…), how many instructions of the build match.
    """
    try:
        if verdicts.get(technique.case) != Verdict.PASS:
            raise _NotMeasured("the case that it is measured on is not right")
        return _judged(technique, _measured(technique, run, lab), instructions or {})
    except _NotMeasured as why:
        return TechniqueVerdict(technique.name, None, f"not judged: {why}")
    except NoValue as why:
        return TechniqueVerdict(technique.name, None, f"not judged: its evidence has no value, as {why}")


def _judged(
    technique: Technique, measured: Mapping[str, Number], instructions: Mapping[str, int]
) -> TechniqueVerdict:
    values = dict(measured)
    try:
        for name, text in technique.where:
            values[name] = parse(text).value(values, instructions)
        compared = parse(technique.evidence).comparison
        assert compared is not None, "course/evidence.py has checked it"
        left, sign, right = compared
        value, limit = (float(side.value(values, instructions)) for side in (left, right))
    except KeyError as pattern:
        raise _NotMeasured(f"the build did not count the instructions {pattern}") from None
    counts = not technique.counts_if or bool(parse(technique.counts_if).value(values, instructions))
    met = counts and _holds(value, sign, limit, technique.slack)
    text = technique.met if met else technique.not_met if counts else technique.does_not_count
    return TechniqueVerdict(technique.name, met, evidence.sentence(text, values), value, limit)


def _holds(value: float, sign: str, limit: float, slack: float) -> bool:
    if sign in ("<", "<="):
        return value <= limit * slack if sign == "<=" else value < limit * slack
    if sign in (">", ">="):
        return value * slack >= limit if sign == ">=" else value * slack > limit
    return (value == limit) == (sign == "==")


# --- measured values ---------------------------------------------------------------------------


def _measured(technique: Technique, run: Run, lab: Lab) -> dict[str, Number]:
    """The values of all names that the technique needs."""
    names = evidence.needed(technique)
    values: dict[str, Number] = dict(lab.case(technique.case).parameters)
    if any(name in evidence.SHAPE_FACTS for name in names):
        shape = run.shape_of(technique.kernel)
        if shape is None:
            raise _NotMeasured("the launch shape is not known")
        values |= _shape_facts(shape)
    counted = [name for name in names if name in evidence.counters(lab)]
    if counted or any(name in evidence.LAUNCH_FACTS for name in names):
        launches = [launch for launch in run.launches if launch.label == technique.case]
        if technique.kernel:
            launches = [launch for launch in launches if launch.kernel == technique.kernel]
        values |= _launch_facts(launches) | _counts(counted, launches)
    return values


def _shape_facts(shape: LaunchShape) -> dict[str, Number]:
    threads, elements = ((*sides, 1, 1)[:3] for sides in (shape.threads, shape.outputs))
    facts: dict[str, Number] = {"threads": math.prod(threads)}
    for axis, of_threads, of_elements in zip("xyz", threads, elements, strict=True):
        facts |= {f"threads_{axis}": of_threads, f"elements_{axis}": of_elements}
    return facts


def _launch_facts(launches: Sequence[Launch]) -> dict[str, Number]:
    return {
        "blocks": sum(math.prod(launch.grid) for launch in launches),
        "dynamic_shared": max((launch.dynamic_shared for launch in launches), default=0),
        "launches": len(launches),
    }


def _counts(names: Sequence[str], launches: Sequence[Launch]) -> dict[str, Number]:
    """The sum of each counter over the launches. A counter that a launch lacks is 0 if it has others."""
    metrics = {name: (evidence.ALIASES.get(name, name), *evidence.ALSO.get(name, ())) for name in names}
    present = {metric for launch in launches for metric in launch.counters}
    wanted = {metric for group in metrics.values() for metric in group}
    if not launches or (metrics and BANK_CONFLICTS not in metrics and present.isdisjoint(wanted)):
        raise _NotMeasured("the run has no counters of that case")
    return {
        name: _bank_conflicts(launches)
        if name == BANK_CONFLICTS
        else sum(launch.counters.get(metric, 0) for launch in launches for metric in group)
        for name, group in metrics.items()
    }


def _bank_conflicts(launches: Sequence[Launch]) -> int:
    sites = (site for launch in launches for site in launch.sites if site.kind.startswith("shared"))
    return sum(site.wavefronts - site.ideal_wavefronts for site in sites)
