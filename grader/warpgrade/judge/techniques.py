"""Points for how a result was reached: what the counters of one case say against the lab's limit."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..core import nsight
from ..core.hardware import FLOAT, WARP
from ..records import Case, Lab, LaunchShape, Run, Technique, TechniqueVerdict, Verdict

# Loads at the border are often clamped into the matrix instead of left out.
SLACK = 1.25


def judge_technique(
    technique: Technique, run: Run, lab: Lab, verdicts: Mapping[str, Verdict]
) -> TechniqueVerdict:
    """Met or not, with the two numbers; not judged where its case is not right."""
    if verdicts.get(technique.case) != Verdict.PASS:
        return TechniqueVerdict(
            technique.name, None, "not judged: the case that it is measured on is not right"
        )
    if run.launch_shape is None:
        return TechniqueVerdict(technique.name, None, "not judged: the launch shape is not known")
    if technique.evidence == "outputs-per-thread":
        return _outputs(technique, run.launch_shape)
    return _loads(technique, run, lab.case(technique.case), run.launch_shape)


def _outputs(technique: Technique, shape: LaunchShape) -> TechniqueVerdict:
    wanted = technique.at_least or 1.0
    measured = shape.outputs[0] * shape.outputs[1] / shape.threads_per_block
    sentence = f"each thread computes {_plural(measured, 'output')}; the lab asks for {wanted:g} or more"
    return TechniqueVerdict(technique.name, measured >= wanted, sentence, measured, wanted)


def _loads(technique: Technique, run: Run, case: Case, shape: LaunchShape) -> TechniqueVerdict:
    launch = next((launch for launch in run.launches if launch.label == case.name), None)
    if launch is None or nsight.GLOBAL_LOAD_BYTES not in launch.counters:
        return TechniqueVerdict(technique.name, None, "not judged: the run has no counters of that case")
    elements = case.m * case.k + case.k * case.n
    # An atomic reads, too: adding zero to an input must not be a way to load it uncounted.
    atomics = launch.counters.get(nsight.GLOBAL_ATOMICS, 0) * WARP
    loads = launch.counters[nsight.GLOBAL_LOAD_BYTES] / FLOAT + atomics
    measured = loads / elements
    smallest = technique.smallest_tile or 1
    columns, rows = max(shape.outputs[0], smallest), max(shape.outputs[1], smallest)
    needed = loads_with_tile(case, columns, rows) / elements
    asked = loads_with_tile(case, smallest, smallest) / elements
    if (
        needed * SLACK < measured <= asked
    ):  # a block without sharing in all its threads may load as much as with the lab's tile
        columns, rows, needed = smallest, smallest, asked
    sentence = (
        f"your kernel loads each input element {_times(measured)} from global memory; "
        f"a {columns}×{rows} tile needs {_number(needed)}"
    )
    return TechniqueVerdict(technique.name, measured <= needed * SLACK, sentence, measured, needed)


def loads_with_tile(case: Case, columns: int, rows: int) -> int:
    """Global loads of floats when a block computes columns × rows of C and loads each input it needs once."""
    return case.m * case.k * math.ceil(case.n / columns) + case.k * case.n * math.ceil(case.m / rows)


def _times(value: float) -> str:
    return "once" if _number(value) == "1" else f"{_number(value)} times"


def _plural(value: float, noun: str) -> str:
    return f"{_number(value)} {noun}" + ("" if _number(value) == "1" else "s")


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
