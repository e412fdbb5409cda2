"""A run's findings as a student reads them: with specific advice, and with a finding for each impossible
time.

A run is saved as the harness and the emulator reported it. Advice is computed from that record each time, so
that better advice needs no new run.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace

from ..course import work
from ..gpu.spec import GpuSpec
from ..perfmodel import model
from ..records import Case, Finding, Lab, LaunchShape, Place, Run, Submission
from ..tables.hardware import FLOAT
from .causes import endless_loop, left_loop, places, short_step, source_text, waiting
from .causes.out_of_bounds import (
    clamped,
    guards,
    loaded_index,
    loops,
    matrix_rows,
    misaligned,
    negative_remainder,
    out_of_bounds,
    pointer_size,
    pointer_step,
    small_allocation,
)
from .causes.races import (
    async_copy,
    global_race,
    loop_carried_race,
    lost_update,
    mistaken_array,
    outside_lock,
    same_turns,
    shared_race,
    shared_variable,
    stream_race,
)
from .causes.unwritten import place_twice, unwritten
from .causes.wrong_answer import tile_pitch, unshared
from .finding_verdicts import OF_HARNESS, in_lab

_BELOW_ROOF = 0.97  # clocks differ from the GPU's data sheet by a little


def judged(run: Run, submission: Submission, lab: Lab, gpu: GpuSpec) -> Run:
    """The run with advice in its cases' findings, and with a finding for each time that is too short."""
    cases = {case.name: case for case in lab.cases}
    text = source_text.code(submission)
    ended = {case.name for case in run.cases if case.status in ("crash", "timeout")}
    findings = [
        _advised(finding, submission, lab, cases.get(finding.label), run, text)
        for finding in run.findings
        if finding.label not in ended or not _is_left_behind(finding)
    ]
    ordered = stream_race.causes_first(place_twice.with_explanation(findings))
    return replace(run, findings=(*ordered, *_below_roof(run, lab, gpu)))


def of_program(found: Sequence[Finding], submission: Submission) -> tuple[Finding, ...]:
    """The findings of a program that belongs to no lab, with the advice that needs no lab."""
    named = in_program_terms(found, submission)
    return tuple(
        stream_race.causes_first(small_allocation.advised(_of_threads(each, submission)) for each in named)
    )


def in_program_terms(
    found: Sequence[Finding], submission: Submission, lab: Lab | None = None, case: Case | None = None
) -> tuple[Finding, ...]:
    """Findings with their places as the program has them, `tile[3][0]`, and without advice."""
    text = source_text.code(submission)
    return tuple(places.in_program_terms(out_of_bounds.by_pointer(each), text, lab, case) for each in found)


def _of_threads(
    finding: Finding,
    submission: Submission,
    lab: Lab | None = None,
    case: Case | None = None,
    shape: LaunchShape | None = None,
) -> Finding:
    """The finding with the advice that depends on what its two threads did."""
    finding = async_copy.advised(loop_carried_race.turned(finding, submission))
    text = source_text.beside(finding.place, submission)
    finding = left_loop.advised(stream_race.advised(waiting.advised(finding), text), text)
    finding = endless_loop.advised(finding, text)
    grows = _grows(finding, lab, case)
    finding = mistaken_array.advised(finding, text)
    finding = outside_lock.advised(finding, submission)
    finding = shared_variable.advised(finding, text)
    if finding.cause != mistaken_array.CAUSE:
        finding = lost_update.advised(finding, grows)
    finding = global_race.advised(finding, grows, lab, case, shape, text)
    finding = short_step.advised(same_turns.advised(finding, text), submission, shape)
    whole = source_text.code(submission)
    finding = shared_race.advised(finding, submission, shape, whole)
    finding = tile_pitch.advised(unwritten.advised(finding, submission, shape), whole)
    return unshared.advised(finding, submission)


def _grows(finding: Finding, lab: Lab | None, case: Case | None) -> bool:
    """Whether the array that the finding is about has more elements in a larger case."""
    memory = finding.memory
    if lab is None or case is None or memory is None or memory.space != "global":
        return False
    extents = [extent for array in lab.arrays if array.name == memory.allocation for extent in array.extents]
    if extents:
        return any(not extent.isdecimal() for extent in extents)
    sizes = {memory.bytes, FLOAT} - {0}  # an access may take several elements at once
    return any(memory.allocation_bytes // size in case.parameters.values() for size in sizes)


def _advised(
    finding: Finding, submission: Submission, lab: Lab, case: Case | None, run: Run, text: str
) -> Finding:
    """The finding with advice. `case`: the case that showed it; None for a timed launch."""
    if case is None:
        return finding
    finding = in_lab(finding)
    finding = places.in_program_terms(out_of_bounds.by_pointer(finding), text, lab, case)
    shape = run.shape_of(finding.kernel) or run.launch_shape
    finding = _of_threads(finding, submission, lab, case, shape)
    finding = out_of_bounds.advised(finding, lab, case, shape, text)
    finding = loops.advised(guards.advised(finding, text, lab), text, case)
    finding = clamped.advised(finding, text, case)
    finding = pointer_size.advised(matrix_rows.advised(finding, text, lab, case), text)
    finding = pointer_step.advised(finding, text, lab, case)
    finding = misaligned.advised(negative_remainder.advised(finding, text), text, lab, case)
    return small_allocation.advised(loaded_index.advised(finding, text, lab, case), case)


def _is_left_behind(finding: Finding) -> bool:
    """Whether the finding lists what a program had not freed or not waited for when it ended. If the program
    ended early or was ended, this is a consequence of that.
    """
    return finding.kind in OF_HARNESS or (finding.kind == "unfinished-work" and not finding.place.line)


def _below_roof(run: Run, lab: Lab, gpu: GpuSpec) -> list[Finding]:
    """A time below the roofline's floor: the work cannot have been done. Course staff should look at it."""
    if run.device_name != gpu.name:
        return []
    found = []
    for timing in run.timings:
        floor = model.floor(work.of(lab, timing.size), gpu)
        fastest = statistics.median(timing.student_ms) if timing.student_ms else floor
        if fastest < _BELOW_ROOF * floor:
            words = f"{fastest:.4f} ms are less than the {floor:.4f} ms that {gpu.name} needs at its peak"
            label = f"time/{'x'.join(map(str, timing.size))}/student"
            found.append(Finding(label, "time", "below-the-roof", "", "warning", words, Place()))
    return found
