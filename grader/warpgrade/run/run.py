"""Run a built kernel on all cases of its lab, then measure times; in as few processes as faults allow."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..course import work
from ..gpu import conditions
from ..gpu.devices import BrokenDevice
from ..perfmodel.fixed_grid import larger_sizes
from ..records import (
    Build,
    CaseRun,
    Conditions,
    Fault,
    Finding,
    Lab,
    Launch,
    Problem,
    Run,
    Size,
    Submission,
    Timing,
)
from . import compute_sanitizer, harness, machine_code
from .datasets import timing_seed
from .harness import HarnessJob, HarnessReport, RunnerConfig
from .timed_launch import is_reference, is_timed, size_name, size_of

_ATTEMPTS, _PAUSE = 3, 10.0  # attempts to time on a GPU that is idle and cool; seconds between them
_BLAMELESS = ("pass", "wrong_answer", "launch_shape", "input_changed", "stray_write")  # the GPU itself works
_STUDENT = "/student"
_TIMEOUTS = {"gpu": 2, "emulator": 4}  # cases that time out before the others are skipped
_NOT_AGAIN = "the kernel did not end in other cases"
_TOO_MUCH_MEMORY = f"the emulator needs more than {harness.MEMORY >> 20:,} MiB of memory for this kernel"
_TOO_MUCH_TO_SAY = (
    f"the emulator needs more than {harness.FILES >> 20} MiB for what it measured at each line of this kernel"
)


@dataclass(frozen=True)
class Reference:
    """The instructor's solution, compiled, whose time a submission is compared with.

    A students' copy of the course has no `fatbin`, only what the solution's timed `launches` counted.
    """

    fatbin: Path | None
    build: Build
    launches: tuple[Launch, ...] = ()


@dataclass(frozen=True)
class Watched:
    """What the timed launches did on the emulator: a kernel may be right in all cases and wrong at the timed
    sizes.
    """

    timings: tuple[Timing, ...]
    launches: tuple[Launch, ...]
    findings: tuple[Finding, ...]  # about the student's launches
    notes: tuple[str, ...]
    problem: Problem | None


@dataclass(frozen=True)
class Emulated:
    """The results of the emulator, which a run on a GPU continues from. A machine without a GPU saves them
    for one that has a GPU.
    """

    checked: Run  # the cases
    watched: Watched | None = None  # None if the kernel is not timed
    is_refused: bool = False  # a block needs more resources than a GPU has: nothing runs


def run(build: Build, fatbin: Path, submission: Submission, lab: Lab, runner: RunnerConfig,
        reference: Reference, data: Path, device: str = "emulator") -> Run:  # fmt: skip
    """Run all cases on the emulator and, if asked, on a GPU; measure times only where every case is right.

    GraderError where a tool of the grader is missing or broken. If a process of the grader crashed, the
    record's `problem` says so, in addition to the other results.
    """
    emulated = emulate(build, fatbin, submission, lab, runner, reference, data, device)
    if device == "gpu":
        return measure(emulated, fatbin, submission, lab, runner, reference, data)
    return with_emulated_times(emulated.checked, emulated.watched)


def emulate(build: Build, fatbin: Path, submission: Submission, lab: Lab, runner: RunnerConfig,
            reference: Reference, data: Path, device: str = "emulator") -> Emulated:  # fmt: skip
    """Run the cases on the emulator, and the timed launches if the kernel is right.

    `device`: "gpu" if measure() will continue from the result. Errors are those of run().
    """
    about = Run(device=device, reference=reference.build.resources)
    refusal = _refusal(build, lab)
    if refusal:
        cases = tuple(CaseRun(case.name, "resources", refusal) for case in lab.cases)
        return Emulated(replace(about, device_name=runner.gpu_model, cases=cases), is_refused=True)
    job = HarnessJob(lab, fatbin, data)
    checked = _check(job, runner, submission, about)
    is_timed = reference.fatbin is not None if device == "gpu" else bool(lab.performance.sizes)
    if not is_clean(checked) or not is_timed:
        return Emulated(checked)
    return Emulated(checked, _watch(job, reference, runner, submission, checked, modelled=device != "gpu"))


def measure(emulated: Emulated, fatbin: Path, submission: Submission, lab: Lab, runner: RunnerConfig,
            reference: Reference, data: Path) -> Run:  # fmt: skip
    """Continue from emulate(): run the cases on a GPU, and measure times. Errors are those of run()."""
    checked = emulated.checked
    if emulated.is_refused or checked.problem is not None:
        return checked
    with runner.gpus.one() as gpu:  # the submission stays on it
        job = HarnessJob(lab, fatbin, data, device="gpu", gpu=gpu)
        checked = _check_on_gpu(job, runner, submission, checked, reference)
        return _times_of_gpu(job, reference, runner, submission, checked, emulated.watched)


def is_clean(run: Run) -> bool:
    """Every case right, no finding and no problem of the grader: the condition for being timed."""
    outcomes = (*run.cases, *run.device_cases)
    found = [
        finding
        for finding in run.findings
        if finding.label != compute_sanitizer.LABEL and not finding.is_remark
    ]  # shown, not judged
    return run.problem is None and all(case.status == "pass" for case in outcomes) and not found


def _refusal(build: Build, lab: Lab) -> str:
    shared = build.resources.shared_bytes if build.resources else 0
    if shared > lab.limits.shared_bytes:
        return f"a block wants {shared:,} bytes of shared memory; it may have {lab.limits.shared_bytes:,}"
    return ""


# --- correctness -------------------------------------------------------------------------------


def _check(
    job: HarnessJob,
    runner: RunnerConfig,
    submission: Submission,
    about: Run,
    known: Mapping[str, CaseRun] | None = None,
) -> Run:
    """Start the harness until every case has its record; each start settles at least one case.

    `known`: records of cases that are not run.
    """
    settled = dict(known or {})
    pending = [case.name for case in job.lab.cases if case.name not in settled]
    findings: list[Finding] = []
    launches: list[Launch] = []
    while pending:
        arguments = ("--mode", "check", f"--subcase={','.join(pending)}")
        report = harness.start(replace(job, arguments=arguments), runner, submission)
        about = _acquainted(about, report)
        newly = _settle(report, pending, job.lab)
        if not newly:
            raise harness.not_begun(report, job, runner)
        for case in newly:
            settled[case.name] = case
            findings += [finding for finding in report.findings if finding.label == case.name]
            launches += [launch for launch in report.launches if launch.label == case.name]
        pending = [name for name in pending if name not in settled]
        hopeless = _hopeless(job, settled, pending)
        settled |= {name: CaseRun(name, "not_run", _NOT_AGAIN) for name in hopeless}
        pending = [name for name in pending if name not in settled]
    cases = tuple(settled[case.name] for case in job.lab.cases)
    broken = next((case for case in cases if case.status == "grader_error"), None)
    problem = Problem(Fault.GRADER, f"{broken.name}: {broken.message}") if broken else None
    return replace(about, cases=cases, findings=tuple(findings), launches=tuple(launches), problem=problem)


def _hopeless(job: HarnessJob, settled: Mapping[str, CaseRun], pending: Sequence[str]) -> list[str]:
    """Cases that are skipped because others timed out: one submission must not delay a class by minutes.

    On a GPU the remaining cases are skipped at once, because the emulator has run all cases. On the emulator,
    cases with less work still run.
    """
    amount = {case.name: work.of(job.lab, case.size).counted for case in job.lab.cases}
    endless = [amount[name] for name, case in settled.items() if case.status == "timeout"]
    if len(endless) < _TIMEOUTS[job.device]:
        return []
    return [name for name in pending if job.device == "gpu" or amount[name] >= min(endless)]


def _is_endless(case: CaseRun) -> bool:
    """Whether the case did not end on the emulator. On a GPU it is skipped, because it
    would only take time.
    """
    return case.status == "timeout" or case.is_deadlock


def _settle(report: HarnessReport, pending: Sequence[str], lab: Lab) -> list[CaseRun]:
    """The cases that have a record, and the one during which the process ended without writing one."""
    settled = [case for case in report.cases if case.name in pending]
    recorded = {case.name for case in settled}
    cut_short = [name for name in report.begun if name in pending and name not in recorded]
    if cut_short:
        settled.append(_cut_short(cut_short[-1], report, lab))
    if not settled and report.outcome.is_over_a_limit:  # while the kernel was loaded
        settled.append(_cut_short(pending[0], report, lab))
    return settled


def _cut_short(name: str, report: HarnessReport, lab: Lab) -> CaseRun:
    if report.outcome.timed_out:
        return CaseRun(name, "timeout", f"the kernel did not end within {lab.limits.seconds:g} seconds")
    if report.outcome.overfull:
        return CaseRun(name, "resources", f"{_TOO_MUCH_MEMORY}; the solution does not")
    if report.outcome.spilled:
        return CaseRun(name, "resources", f"{_TOO_MUCH_TO_SAY}; the solution does not")
    how = f"signal {report.outcome.signal}" if report.outcome.signal else f"exit code {report.outcome.status}"
    return CaseRun(name, "grader_error", f"the process that runs the kernel broke down ({how})")


def _acquainted(about: Run, report: HarnessReport) -> Run:
    return replace(
        about,
        device_name=str(report.environment.get("device", about.device_name)),
        launch_shape=report.launch_shape or about.launch_shape,
        other_shapes=report.other_shapes or about.other_shapes,
        printed=about.printed or report.printed,
    )


def _check_on_gpu(
    job: HarnessJob, runner: RunnerConfig, submission: Submission, emulated: Run, reference: Reference
) -> Run:
    endless = {case.name: case for case in emulated.cases if _is_endless(case)}
    measured = _check(job, runner, submission, replace(emulated, printed=""), endless)
    if any(case.status not in _BLAMELESS and case.name not in endless for case in measured.cases):
        _still_works(job, runner, submission, reference)
    found = compute_sanitizer.opinion(job, runner, submission, endless) if runner.sanitizer else ()
    return replace(
        emulated,
        device_name=measured.device_name,
        device_cases=measured.cases,
        problem=measured.problem,
        findings=(*emulated.findings, *found),
    )


def _still_works(job: HarnessJob, runner: RunnerConfig, submission: Submission, reference: Reference) -> None:
    """Run a kernel that is known to be right before the submission is blamed. BrokenDevice if the solution
    fails there, too.
    """
    if reference.fatbin is None:
        return
    first = job.lab.cases[0].name
    arguments = ("--mode", "check", f"--subcase={first}")
    report = harness.start(replace(job, fatbin=reference.fatbin, arguments=arguments), runner, submission)
    if not any(case.status == "pass" for case in report.cases):
        words = next((case.message for case in report.cases), report.outcome.stderr.strip()[-200:])
        name = job.gpu.uuid or f"GPU {job.gpu.number}" if job.gpu else "the GPU"
        raise BrokenDevice(
            f"{name} fails with the reference solution as well: {words}",
            remedy="it is not used any more; see nvidia-smi, and a restart may help",
        )


# --- time --------------------------------------------------------------------------------------


def _watch(
    job: HarnessJob, reference: Reference, runner: RunnerConfig, submission: Submission, checked: Run,
    modelled: bool,
) -> Watched:  # fmt: skip
    job = replace(job, reference=reference.fatbin or job.fatbin)
    report = _timed(job, runner, submission)
    launches = tuple(launch for launch in report.launches if is_timed(launch))
    if modelled and report.ended:
        launches += _at_larger_sizes(launches, job, runner, submission, checked)
    launches = machine_code.counted(launches, job, runner)
    if reference.fatbin is None:
        launches = (*(launch for launch in launches if not is_reference(launch)), *reference.launches)
    found = tuple(finding for finding in report.findings if finding.label.endswith(_STUDENT))
    ended = _ended(Run(job.device), report, job.lab)
    timings = _without_emulated(report.timings)
    return Watched(timings, launches, found, ended.notes, ended.problem)


def _at_larger_sizes(
    launches: Sequence[Launch], job: HarnessJob, runner: RunnerConfig, submission: Submission, checked: Run
) -> tuple[Launch, ...]:
    """The launches from which the time of a fixed grid follows; none if the grid grows with the size, or if
    it is not right there.
    """
    sizes: list[Size] = []
    for size in job.lab.performance.sizes:
        own = [launch for launch in launches if size_of(launch) == size]
        beside = next((launch for launch in own if is_reference(launch)), None)
        shapes = (checked.shape_of(launch.kernel) for launch in own)
        fixed = next((shape for shape in shapes if shape and shape.blocks is not None), None)
        if beside:
            sizes += larger_sizes(job.lab, size, fixed, beside)
    if not sizes:
        return ()
    report = _timed(job, runner, submission, sizes)
    right = report.ended and all(timing.checked == "pass" for timing in report.timings)
    return tuple(filter(is_timed, report.launches)) if right else ()


def with_emulated_times(checked: Run, watched: Watched | None) -> Run:
    """The run of a kernel whose times are modelled: what run() returns without a GPU."""
    if watched is None:
        return checked
    run = _with_times(checked, watched, watched.timings)
    return replace(run, notes=(*run.notes, *watched.notes), problem=watched.problem)


def _times_of_gpu(
    job: HarnessJob, reference: Reference, runner: RunnerConfig, submission: Submission, checked: Run,
    watched: Watched | None,
) -> Run:  # fmt: skip
    if not is_clean(checked):
        return checked
    if watched is None:
        return replace(checked, notes=(*checked.notes, "times on a GPU are taken by your instructor"))
    if watched.findings or not job.lab.performance.gpu_sizes:
        return with_emulated_times(checked, watched)
    report, state = _timed_fairly(replace(job, reference=reference.fatbin), runner, submission)
    run = _with_times(replace(checked, conditions=state), watched, _without_emulated(report.timings))
    if why := conditions.unfit(state):
        words = f"the GPU was not fit for timing, {_ATTEMPTS} times: {why}"
        return replace(run, timings=(), problem=Problem(Fault.GRADER, words, remedy="grade again later"))
    return _ended(run, report, job.lab)


def _with_times(checked: Run, watched: Watched, timings: tuple[Timing, ...]) -> Run:
    return replace(
        checked,
        timings=timings,
        launches=(*checked.launches, *watched.launches),
        findings=(*checked.findings, *watched.findings),
    )


def _timed_fairly(
    job: HarnessJob, runner: RunnerConfig, submission: Submission
) -> tuple[HarnessReport, Conditions]:
    """Measure; if the GPU was hot or busy, wait and measure again."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE)
        before = conditions.read(job.gpu)
        report = _timed(job, runner, submission)
        state = Conditions(job.gpu.uuid if job.gpu else "", before, conditions.read(job.gpu))
        if not conditions.unfit(state):
            break
    return report, state


def _timed(
    job: HarnessJob, runner: RunnerConfig, submission: Submission, sizes: Sequence[Size] = ()
) -> HarnessReport:
    """`sizes`: by default those of the lab for this device."""
    performance = job.lab.performance
    sizes = sizes or (performance.gpu_sizes if job.device == "gpu" else performance.sizes)
    seed = timing_seed(job.lab.name, submission.hash, runner.salt)
    arguments = ("--mode", "time", "--seed", str(seed), "--sizes", ",".join(map(size_name, sizes)))
    return harness.start(replace(job, arguments=arguments), runner, submission)


def _ended(run: Run, report: HarnessReport, lab: Lab) -> Run:
    if report.outcome.timed_out:
        return replace(run, notes=(*run.notes, f"timing took longer than {lab.limits.seconds:g} seconds"))
    if report.outcome.overfull:
        return replace(run, notes=(*run.notes, f"not timed: {_TOO_MUCH_MEMORY}"))
    if report.outcome.spilled:
        return replace(run, notes=(*run.notes, f"not timed: {_TOO_MUCH_TO_SAY}"))
    if report.ended:
        return run
    signal = report.outcome.signal
    what = f"signal {signal}" if signal else f"exit code {report.outcome.status}"
    return replace(
        run, problem=Problem(Fault.GRADER, f"the process that times the kernel broke down ({what})")
    )


def _without_emulated(timings: Sequence[Timing]) -> tuple[Timing, ...]:
    """Removes the emulator's own run time, which differs each time and says nothing about the kernel."""
    return tuple(
        replace(timing, student_ms=(), reference_ms=(), ratio=None) if timing.emulated else timing
        for timing in timings
    )
