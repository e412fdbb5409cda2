"""The verdict on each case, in one word and one sentence. Pure: from records to records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..course import draws
from ..gpu.occupancy import theoretical
from ..gpu.spec import GpuSpec
from ..perfmodel import advice, line_shares
from ..perfmodel.advice import Remedy
from ..perfmodel.few_blocks import FEW_BLOCKS
from ..perfmodel.model import ModelledTime, part_of, sequence_time, time_of
from ..records import (
    Build,
    BuildStatus,
    CaseRun,
    CaseVerdict,
    Finding,
    Judgement,
    Lab,
    LabKind,
    Launch,
    LaunchShape,
    Occupancy,
    PerformanceVerdict,
    Resources,
    Run,
    SizeTime,
    Verdict,
)
from .finding_verdicts import causes, verdict_of
from .techniques import judge_technique
from .timed_pairs import TimedPair, largest, timed_pairs

_TIMED = "time/"  # how labels of timed launches begin
_GROW = ". Most SMs have no block: let the number of blocks grow with the number of elements"
# Where a case shows several faults, the one that hides the others comes first.
_PRIORITY = (
    Verdict.GRADER_ERROR, Verdict.RESOURCES, Verdict.CRASH, Verdict.TIMEOUT, Verdict.BARRIER, Verdict.MEMORY,
    Verdict.RACE, Verdict.WRONG_ANSWER, Verdict.SKIPPED, Verdict.PASS,
)  # fmt: skip
_OF_STATUS = {
    "pass": Verdict.PASS, "wrong_answer": Verdict.WRONG_ANSWER, "stray_write": Verdict.MEMORY,
    "input_changed": Verdict.MEMORY, "launch_shape": Verdict.RESOURCES, "resources": Verdict.RESOURCES,
    "timeout": Verdict.TIMEOUT, "not_run": Verdict.SKIPPED, "crash": Verdict.CRASH,
}  # fmt: skip
_OF_CUDA_ERROR = {
    "cudaErrorIllegalAddress": Verdict.MEMORY, "cudaErrorMisalignedAddress": Verdict.MEMORY,
    "cudaErrorInvalidAddressSpace": Verdict.MEMORY, "cudaErrorInvalidPc": Verdict.CRASH,
    "cudaErrorLaunchTimeout": Verdict.TIMEOUT, "cudaErrorAssert": Verdict.CRASH,
    "cudaErrorLaunchFailure": Verdict.CRASH, "cudaErrorIllegalInstruction": Verdict.CRASH,
    "cudaErrorHardwareStackError": Verdict.CRASH, "cudaErrorLaunchOutOfResources": Verdict.RESOURCES,
    "cudaErrorInvalidConfiguration": Verdict.RESOURCES, "cudaErrorInvalidValue": Verdict.RESOURCES,
    "cudaErrorMemoryAllocation": Verdict.RESOURCES,
}  # fmt: skip


@dataclass(frozen=True)
class _Fit:
    """Occupancy of one SM, from the launch shape and the resources that the compiler reports."""

    student: Occupancy | None
    reference: Occupancy | None
    refusal: str


def judge(build: Build, run: Run | None, lab: Lab, gpu: GpuSpec) -> Judgement:
    """The verdict on a build and its run; `run` is None if nothing was built."""
    if run is None or build.status != BuildStatus.BUILT:
        answers = lab.kind is LabKind.ANSWERS
        reason = "the file could not be marked" if answers else "not run: the submission was not built"
        verdict = Verdict.GRADER_ERROR if build.status == BuildStatus.GRADER_ERROR else Verdict.SKIPPED
        return Judgement(build.status, tuple(CaseVerdict(case.name, verdict, reason) for case in lab.cases))
    fit = _fit(build, run, gpu)
    judged = (_judge_case(case.name, run, fit.refusal) for case in lab.cases)
    cases = tuple(_of_assembly(each, run, build) for each in judged)
    verdicts = {case.name: case.verdict for case in cases}
    techniques = tuple(
        judge_technique(each, run, lab, verdicts, build.instructions) for each in lab.techniques
    )
    right = all(verdict == Verdict.PASS for verdict in verdicts.values())
    performance = _judge_performance(run, lab, gpu, fit, right) if lab.performance.points else None
    return Judgement(build.status, cases, techniques, performance, fit.student, fit.reference)


# --- cases -------------------------------------------------------------------------------------


def _judge_case(name: str, run: Run, refusal: str) -> CaseVerdict:
    case = next(
        (case for case in run.cases if case.name == name), CaseRun(name, "grader_error", "was not run")
    )
    on_device = next((case for case in run.device_cases if case.name == name), None)
    findings = [finding for finding in run.findings if finding.label == name]
    emulated = judge_case(case, findings, refusal)
    if refusal or on_device is None or on_device.status == "pass":
        return emulated
    sentence = f"on {run.device_name}: {_case_sentence(on_device)}"
    if _PRIORITY.index(_of_case(on_device)) < _PRIORITY.index(emulated.verdict):
        return CaseVerdict(name, _of_case(on_device), sentence, emulated.codes)
    return emulated


def _of_assembly(judged: CaseVerdict, run: Run, build: Build) -> CaseVerdict:
    """The verdict after an instruction that the emulator lacks. The emulator is at fault, and the score is
    withheld, unless the submission may contain the instruction as inline assembly: students must not be
    able to withhold their own score.
    """
    errors = [case.status for case in run.cases if case.name == judged.name]
    if judged.verdict != Verdict.GRADER_ERROR or not build.assembly or errors != ["cuda_error"]:
        return judged
    sentence = f"the emulator does not execute this inline assembly: {judged.sentence}"
    return replace(judged, verdict=Verdict.CRASH, sentence=sentence)


def judge_case(case: CaseRun, findings: Sequence[Finding], refusal: str = "") -> CaseVerdict:
    """The verdict on what the harness wrote about a case and what was found in it.

    `refusal`: see refusal().
    """
    if refusal:
        return CaseVerdict(case.name, Verdict.RESOURCES, refusal)
    wrong = _of_case(case) == Verdict.WRONG_ANSWER
    found = causes(findings, wrong)
    reasons = [(verdict_of(finding), _finding_sentence(finding)) for finding in found]
    deadlock = case.is_deadlock and any(finding.check == "barrier" for finding in findings)
    # The status says how a program ended, a finding why; a remark does not.
    ended = case.status == "crash" and any(verdict is not Verdict.PASS for verdict, _ in reasons)
    if not deadlock and not ended:  # a deadlock is reported as a time-out
        reasons.append((_of_case(case), _case_sentence(case)))
    verdict, sentence = min(reasons, key=lambda pair: _PRIORITY.index(pair[0]))
    codes = tuple(dict.fromkeys(finding.code for finding in findings if finding.code))
    return CaseVerdict(case.name, verdict, sentence, codes, case.credit)


def _of_case(case: CaseRun) -> Verdict:
    """The verdict by the status that the harness reports. A CUDA error whose name does not explain it is not
    held against the student.
    """
    if case.status == "cuda_error":
        return _OF_CUDA_ERROR.get(case.cuda_error, Verdict.GRADER_ERROR)
    return _OF_STATUS.get(case.status, Verdict.GRADER_ERROR)


def _finding_sentence(finding: Finding) -> str:
    place = f"{finding.place.file}:{finding.place.line}: " if finding.place.line else ""
    return f"{place}{finding.message}"


def _case_sentence(case: CaseRun) -> str:
    if case.status == "pass":
        return case.message or "right"
    explained = case.wrong.explanation if case.wrong else ""
    return case.sentence or explained or case.cuda_error or case.status


# --- what fits ---------------------------------------------------------------------------------


def refusal(build: Build, shape: LaunchShape | None, gpu: GpuSpec) -> str:
    """Why this GPU would refuse a launch of that shape; empty if it would not or nothing is known."""
    seats = _student_occupancy(build, shape, gpu)
    if shape is None or build.resources is None or seats is None or seats.blocks > 0:
        return ""
    if shape.threads_per_block > gpu.limits.block_threads:
        return ""  # the error of the launch says so
    return _refusal(shape, build.resources, gpu)


def _fit(build: Build, run: Run, gpu: GpuSpec) -> _Fit:
    student = _student_occupancy(build, run.launch_shape, gpu)
    if student is None:
        return _Fit(None, None, "")
    threads = _reference_threads(run)
    reference = _occupancy(gpu, threads, run.reference) if threads and run.reference else None
    return _Fit(student, reference, refusal(build, run.launch_shape, gpu))


def _student_occupancy(build: Build, shape: LaunchShape | None, gpu: GpuSpec) -> Occupancy | None:
    if shape is None or shape.threads_per_block < 1:
        return None
    if build.resources is None or build.resources.registers == 0:
        return None
    return _occupancy(gpu, shape.threads_per_block, build.resources)


def _occupancy(gpu: GpuSpec, threads: int, resources: Resources) -> Occupancy:
    return theoretical(
        gpu.limits, gpu.compute_capability, threads, resources.registers, resources.shared_bytes
    )


def _reference_threads(run: Run) -> int:
    launch = next((launch for launch in run.launches if launch.label.endswith("/reference")), None)
    return math.prod(launch.block) if launch else 0


def _refusal(shape: LaunchShape, resources: Resources, gpu: GpuSpec) -> str:
    threads, registers = shape.threads_per_block, resources.registers
    wanted, most = registers * threads, gpu.limits.block_registers
    if wanted > most:
        return (
            f"a block of {threads:,} threads with {registers} registers each needs {wanted:,} registers; "
            f"{gpu.name} gives a block {most:,}: use fewer threads, or __launch_bounds__({threads})"
        )
    return f"not one block of {threads:,} threads and {resources.shared_bytes:,} shared bytes fits {gpu.name}"


# --- performance -------------------------------------------------------------------------------


def _judge_performance(run: Run, lab: Lab, gpu: GpuSpec, fit: _Fit, right: bool) -> PerformanceVerdict:
    modelled = run.device != "gpu"
    name = gpu.name if modelled else run.device_name
    if not right:
        return PerformanceVerdict(False, "not timed: only a kernel that is right in every case is", gpu=name)
    found = in_timed_launches(run)
    if found:
        first = causes(found)[0]  # whose message would tell a drawn size
        sentence = _finding_sentence(replace(first, message=first.called) if draws.are_secret(lab) else first)
        return PerformanceVerdict(
            False, f"not timed: in the timed launch, {sentence}", modelled=modelled, gpu=name
        )
    wrong = next((timing for timing in run.timings if timing.error or timing.checked == "wrong_answer"), None)
    if wrong:
        what = wrong.error or "a result of the timed launches was wrong"
        return PerformanceVerdict(False, f"not timed: {what}", modelled=modelled, gpu=name)
    pairs = timed_pairs(run, lab, gpu)
    sizes = (
        tuple(pair.modelled(gpu, fit.student, fit.reference) for pair in pairs)
        if modelled
        else _measured(run)
    )
    if not sizes:
        reason = run.notes[-1] if run.notes else "the run holds no times"
        return PerformanceVerdict(False, f"not timed: {reason}", modelled=modelled, gpu=name)
    ratio = math.exp(sum(math.log(size.ratio) for size in sizes) / len(sizes))
    longest = _longest(pairs, gpu, fit) if pairs else None
    few = modelled and any(size.student_bound == FEW_BLOCKS for size in sizes)
    remedy = _remedy(longest, fit) if longest and not few and ratio < lab.performance.full else None
    advised = f". {remedy.sentence[0].upper()}{remedy.sentence[1:]}" if remedy else _GROW * few
    basis = ("machine code" if pairs[0].has_machine_code else "PTX") if modelled else ""
    sentence = _performance_sentence(ratio, sizes, basis, name) + advised + _state(run)
    return PerformanceVerdict(
        True, sentence, ratio, modelled, name, sizes, basis,
        remedy.name if remedy else None, round(remedy.factor, 3) if remedy else None,
        line_shares.shares(*longest) if longest and not few else None,  # no line decides there
    )  # fmt: skip


def in_timed_launches(run: Run | None) -> tuple[Finding, ...]:
    """Findings in launches that were to be timed: a kernel can be right in all cases and wrong at a timed
    size.
    """
    found = run.findings if run else ()
    return tuple(
        each for each in found if each.label.startswith(_TIMED) and verdict_of(each) is not Verdict.PASS
    )


def _longest(pairs: Sequence[TimedPair], gpu: GpuSpec, fit: _Fit) -> tuple[Launch, ModelledTime]:
    """The launch that moves the most bytes, which is the one to improve, and its modelled time."""
    part, whole = pairs[0].student[-1], pairs[0].whole
    launch, share = largest(part.launches)
    time = time_of(launch, part_of(part.work, whole) * share, gpu, fit.student)
    if len(part.launches) == 1:
        time = sequence_time(part.launches, part.work, gpu, fit.student, whole)
    return launch, time


def _remedy(longest: tuple[Launch, ModelledTime], fit: _Fit) -> Remedy | None:
    """The remedy that the model expects to help most, even if the time itself was measured; None if none
    helps.
    """
    remedy = advice.best(*longest, fit.student)
    return remedy if remedy.factor > 1 else None


def _state(run: Run) -> str:
    return f". Timed at {run.conditions}" if run.conditions else ""


def _performance_sentence(ratio: float, sizes: Sequence[SizeTime], basis: str, name: str) -> str:
    speed = (
        f"{ratio:.2f} times as fast as the reference solution"
        if ratio < 1.995
        else f"{ratio:.1f} times as fast"
    )
    limit = f"; the pace is set by {sizes[0].student_bound}" if sizes[0].student_bound else ""
    how = f"modelled on {name} from its {basis}" if basis else f"measured on {name}"
    return f"{how}: {speed}{limit}"


def _measured(run: Run) -> tuple[SizeTime, ...]:
    return tuple(
        SizeTime(timing.size, _median(timing.student_ms), _median(timing.reference_ms), timing.ratio)
        for timing in run.timings
        if timing.ratio is not None and timing.ratio > 0
    )


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
