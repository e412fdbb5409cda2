"""Start the harness once and read what it wrote.

The results file, findings and counters have lines as grader/harness and grader/emulator write them. A
line of any other shape is an error of the grader.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..build.toolkit import Toolkit
from ..core.concurrency.periodic import every
from ..core.errors import GraderError
from ..core.paths import Repository, need, typed
from ..core.scratch import scratch_folder
from ..gpu import devices, driver, turns
from ..gpu.devices import Device, DevicePool
from ..records import (
    CaseRun,
    ElementFootprint,
    ElementInfluences,
    Finding,
    Lab,
    Launch,
    LaunchShape,
    Submission,
    Timing,
)
from ..sandbox import process
from ..sandbox.process import Box, Mount, Outcome
from .emulator_rows import finding_of, is_count, launch_of, shaped

_MIB = 1 << 20
MEMORY = 4096 * _MIB  # of the process that runs a kernel
FILES = 64 * _MIB  # of each file that it writes
_TIMED = 3  # factor on a lab's time limit for timing on a GPU, as the processor makes values for each round
SANITIZER = "/sanitizer"  # path of its folder inside the sandbox
_PRINTED = 4000  # characters of a kernel's own output that are kept
_POLL_INTERVAL = 0.02  # seconds between two checks for a case that has ended
# Arrays of a case go back to the C library, not to the kernel, which would clear their pages for the next.
_KEPT_MEMORY = {
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824:"
    "glibc.malloc.trim_threshold=1073741824:glibc.malloc.top_pad=33554432"
}
OnCase = Callable[[CaseRun, tuple[Finding, ...], LaunchShape | None], None]


@dataclass(frozen=True)
class RunnerConfig:
    """Where and how kernels run. `threads`: worker threads of the emulator, 0 for its own choice.

    `on_case` is called for each case as soon as its record is written, with the findings of that case.
    """

    repository: Repository
    toolkit: Toolkit
    sandbox: str = "bwrap"
    gpu_model: str = "h200"
    threads: int = 0
    salt: str = ""  # the instructor's secret: timed values must not be known in advance
    on_case: OnCase | None = None
    gpus: DevicePool = field(default_factory=DevicePool)
    sanitizer: Path | None = None  # compute-sanitizer's folder: on a GPU it runs, too


@dataclass(frozen=True)
class RecordRequest:
    """The block that is recorded step by step (emulator only). `launch`: its number, from 1, among the
    launches of `kernel` (of any kernel, if empty) whose grid has that block. `first`: number of steps that
    are left out at the beginning.
    """

    block: tuple[int, ...] = (0, 0, 0)
    kernel: str = ""
    launch: int = 1
    first: int = 0
    steps: int = 200_000


@dataclass(frozen=True)
class HarnessJob:
    """One start of the harness. `arguments` are added to those of every start.

    `trace`: x, y and z of a block whose accesses are all recorded (emulator only), as many as the grid has.
    `is_watched`: whether the emulator looks for errors and counts what the kernel does.
    """

    lab: Lab
    fatbin: Path
    data: Path
    arguments: tuple[str, ...] = ()
    device: str = "emulator"
    gpu: Device | None = None  # the GPU, if several starts must use the same one
    tool: tuple[str, ...] = ()  # command that runs the harness, from the sanitizer's folder
    reference: Path | None = None
    trace: tuple[int, ...] | None = None
    record: RecordRequest | None = None
    is_watched: bool = True


@dataclass(frozen=True)
class TriedEdit:
    """An edit of a kernel, and the cases that ran with it, up to the first that is not right."""

    number: int
    cases: tuple[CaseRun, ...]


@dataclass(frozen=True)
class HarnessReport:
    """What one process of the harness has written."""

    outcome: Outcome
    environment: Mapping[str, Any]
    launch_shape: LaunchShape | None
    begun: tuple[str, ...]
    cases: tuple[CaseRun, ...]
    timings: tuple[Timing, ...]
    ended: bool
    findings: tuple[Finding, ...]
    launches: tuple[Launch, ...]
    other_shapes: tuple[LaunchShape, ...] = ()  # of the lab's further kernels
    trace: tuple[Mapping[str, Any], ...] = ()  # rows as grader/emulator/machine/trace.hpp writes them
    edits: tuple[TriedEdit, ...] = ()  # with exit code 0, the last of them passes
    influences: tuple[ElementInfluences, ...] = ()  # of the elements that were looked at
    footprints: tuple[ElementFootprint, ...] = ()  # of elements of the inputs
    recording: bytes = b""  # as docs/player.md describes it; empty if the block did not run

    @property
    def printed(self) -> str:
        return self.outcome.stdout[:_PRINTED]


def start(job: HarnessJob, runner: RunnerConfig, submission: Submission) -> HarnessReport:
    """Run the harness in the sandbox. GraderError where it is missing or refuses its input."""
    is_timed_on_gpu = job.device == "gpu" and job.reference is not None
    limits = process.ResourceLimits(
        seconds=job.lab.limits.seconds * (_TIMED if is_timed_on_gpu else 1),
        memory_bytes=MEMORY,
        address_bytes=None if job.device == "gpu" else 16384 * _MIB,
        file_bytes=FILES,
        drain=True,
        # On a GPU, waiting for a kernel takes processor time, and waiting for the GPU takes wall time only.
        patience=math.inf if job.device == "gpu" else 3.0,
    )
    if job.device == "gpu" and job.gpu is None:
        with runner.gpus.one() as gpu:
            return _start(replace(job, gpu=gpu), runner, submission, limits)
    return _start(job, runner, submission, limits)


def _start(
    job: HarnessJob, runner: RunnerConfig, submission: Submission, limits: process.ResourceLimits
) -> HarnessReport:
    with scratch_folder(runner.repository) as work:
        box = _box(job, runner, work)
        with _reporting_cases(runner.on_case, job, work, submission):
            outcome = process.run(_command(job), box, limits, runner.sandbox)
        if outcome.status == 2 and not outcome.timed_out:
            words = outcome.stderr.strip()[:500]
            remedy = f"remove {job.data} to have the data made again, or type `make clean tools`"
            raise GraderError(f"the harness refused: {words}", file=_harness(job, runner), remedy=remedy)
        return _read(outcome, work, job.lab, submission)


def judge_outputs(
    outputs: Mapping[str, Mapping[str, bytes]], lab: Lab, data: Path, runner: RunnerConfig
) -> dict[str, CaseRun]:
    """The harness's results for a program's outputs: for each case, files named after its arrays.

    It needs no kernel, and no device.
    """
    harness = need(runner.repository.harness(lab.name), "type `make tools`")
    libraries, search = runtime_libraries("emulator", runner)
    command = ["/course/harness", "--mode", "judge", "--data", "/data", "--outputs", "/box/outputs"]
    with scratch_folder(runner.repository) as work:
        for case, arrays in outputs.items():
            folder = work / "outputs" / case
            folder.mkdir(parents=True)
            for name, content in arrays.items():
                (folder / f"{name}.npy").write_bytes(content)
        mounts = (Mount(harness, "/course/harness"), Mount(data, "/data"), *libraries)
        box = Box(work, mounts, environment={"LD_LIBRARY_PATH": search})
        limits = process.ResourceLimits(seconds=lab.limits.seconds, memory_bytes=MEMORY, file_bytes=FILES)
        command += ["--results", "/box/results.jsonl"]
        outcome = process.run(command, box, limits, runner.sandbox)
        rows = [row for row in _lines(work / "results.jsonl") if row.get("record") == "case"]
    if outcome.status != 0 or len(rows) != len(outputs):
        words = outcome.stderr.strip()[:500] or f"it ended with {outcome.status}"
        raise GraderError(
            f"the harness did not judge: {words}", file=harness, remedy="type `make clean tools`"
        )
    return {row["case"]: _case_run(row) for row in rows}


def not_begun(report: HarnessReport, job: HarnessJob, runner: RunnerConfig) -> GraderError:
    """The error if the harness ended before it began a case: it or the emulator is damaged."""
    words = report.outcome.stderr.strip()[-300:] or f"exit code {report.outcome.status}"
    remedy = typed("doctor") if job.device == "gpu" else "type `make clean tools`"
    return GraderError(f"ended before its first case: {words}", file=_harness(job, runner), remedy=remedy)


@contextmanager
def _reporting_cases(
    on_case: OnCase | None, job: HarnessJob, work: Path, submission: Submission
) -> Iterator[None]:
    """Call `on_case` for each case while the harness runs. This is display only: the verdict is made from the
    files.
    """
    if on_case is None or job.device == "gpu" or job.reference is not None:
        yield
        return
    reported: set[str] = set()

    def report_new() -> None:
        shape = None
        for row in _lines(work / "results.jsonl"):
            if row.get("record") == "launch_shape":
                shape = _launch_shape(row)
            if row.get("record") == "case" and row["case"] not in reported:
                reported.add(row["case"])
                rows = _lines(work / "findings.jsonl")
                found = _findings(rows, job.lab, submission)
                findings = tuple(finding for finding in found if finding.label == row["case"])
                on_case(_case_run(row), findings, shape)

    with every(_POLL_INTERVAL, report_new):
        yield
    report_new()


def _harness(job: HarnessJob, runner: RunnerConfig) -> Path:
    return need(runner.repository.harness(job.lab.name), "type `make tools`")


def _command(job: HarnessJob) -> list[str]:
    command = [*job.tool, "/course/harness", "--kernel", "/course/kernel.fatbin", "--data", "/data"]
    command += ["--kernels", ",".join(job.lab.kernels), "--results", "/box/results.jsonl", *job.arguments]
    if job.device == "gpu":
        command += ["--turn", "/course/turn"]
    if job.reference is None:
        return command
    named = ["--parameters", ",".join(job.lab.parameter_names), "--values", job.lab.performance.values]
    return [*command, "--reference", "/course/reference.fatbin", *named]


def _box(job: HarnessJob, runner: RunnerConfig, work: Path) -> Box:
    mounts = [
        Mount(_harness(job, runner), "/course/harness"),
        Mount(job.fatbin, "/course/kernel.fatbin"),
        Mount(job.data, "/data"),
    ]
    libraries, path = runtime_libraries(job.device, runner)
    mounts += libraries
    if job.reference:
        mounts.append(Mount(job.reference, "/course/reference.fatbin"))
    if job.device == "gpu":
        mounts.append(Mount(turns.file_of(job.gpu, runner.repository), "/course/turn"))
        if job.tool and runner.sanitizer:
            mounts.append(Mount(runner.sanitizer, SANITIZER))
        chosen = {"LD_LIBRARY_PATH": path, **devices.environment(job.gpu)}
        return Box(work, tuple(mounts), devices.nodes(job.gpu), chosen)
    environment = {"LD_LIBRARY_PATH": path, **_KEPT_MEMORY, **_emulator_environment(job, runner)}
    return Box(work, tuple(mounts), (), environment)


def runtime_libraries(device: str, runner: RunnerConfig) -> tuple[list[Mount], str]:
    """What the loader needs for the runtime of a device: folders, and the path on which it finds them."""
    mounts = [Mount(_runtime(device, runner), "/runtime")]
    if runner.repository.libraries.is_dir():
        mounts.append(Mount(runner.repository.libraries, "/libraries"))
    libraries = driver.folder() if device == "gpu" else None
    if libraries is not None:  # often outside the system folders, which every sandbox mounts
        mounts.append(Mount(libraries, "/driver"))
    return mounts, ":".join(mount.at for mount in mounts)


def _runtime(device: str, runner: RunnerConfig) -> Path:
    if device != "gpu":
        return need(runner.repository.emulator, "type `make tools`").parent
    if runner.toolkit.runtime is None:
        raise GraderError(
            "holds no libcudart.so.13", file=runner.toolkit.folder, remedy="install CUDA 13's runtime"
        )
    return runner.toolkit.runtime


def _emulator_environment(job: HarnessJob, runner: RunnerConfig) -> dict[str, str]:
    environment = {
        "WARPGRADE_CHECK": "all" if job.is_watched else "none",
        "WARPGRADE_GPU": runner.gpu_model,
        "WARPGRADE_FINDINGS": "/box/findings.jsonl",
        "WARPGRADE_STEP_LIMIT": str(job.lab.limits.steps),
    }
    if job.is_watched:
        environment["WARPGRADE_COUNTERS"] = "/box/counters.jsonl"
    if job.trace is not None:
        block = ",".join(map(str, (*job.trace, 0, 0)[:3]))
        environment |= {"WARPGRADE_TRACE": "/box/trace.jsonl", "WARPGRADE_TRACE_BLOCK": block}
    if job.record is not None:
        environment |= {
            "WARPGRADE_RECORD": "/box/recording",
            "WARPGRADE_RECORD_BLOCK": ",".join(map(str, (*job.record.block, 0, 0)[:3])),
            "WARPGRADE_RECORD_KERNEL": job.record.kernel,
            "WARPGRADE_RECORD_LAUNCH": str(job.record.launch),
            "WARPGRADE_RECORD_FIRST": str(job.record.first),
            "WARPGRADE_RECORD_STEPS": str(job.record.steps),
        }
    return environment | ({"WARPGRADE_THREADS": str(runner.threads)} if runner.threads else {})


# --- reading -----------------------------------------------------------------------------------


def _read(outcome: Outcome, work: Path, lab: Lab, submission: Submission) -> HarnessReport:
    rows = list(_lines(work / "results.jsonl"))

    def of(kind: str) -> list[dict[str, Any]]:
        return [row for row in rows if row.get("record") == kind]

    shapes = [_launch_shape(row) for row in of("launch_shape")]
    return HarnessReport(
        outcome=outcome,
        environment=next(iter(of("environment")), {}),
        launch_shape=shapes[0] if shapes else None,
        other_shapes=tuple(shapes[1:]),
        begun=tuple(str(row["case"]) for row in of("begin")),
        cases=tuple(_case_run(row) for row in of("case")),
        timings=tuple(shaped(Timing, row | {"ratio": row.get("ratio")}) for row in of("time")),
        ended=bool(of("end")),
        findings=tuple(_findings(_lines(work / "findings.jsonl"), lab, submission)),
        launches=tuple(launch_of(row) for row in _lines(work / "counters.jsonl")),
        edits=tuple(_edits(rows)),
        influences=tuple(
            shaped(ElementInfluences, each) for row in of("influence") for each in row["elements"]
        ),
        footprints=tuple(
            shaped(ElementFootprint, each) for row in of("footprints") for each in row["footprints"]
        ),
        trace=tuple(_lines(work / "trace.jsonl")),
        recording=_content(work / "recording"),
    )


def _edits(rows: Sequence[dict[str, Any]]) -> Iterator[TriedEdit]:
    """The cases of an edit follow it."""
    starts = [at for at, row in enumerate(rows) if row.get("record") == "edit"]
    for start, end in itertools.pairwise([*starts, len(rows)]):
        cases = (_case_run(row) for row in rows[start:end] if row.get("record") == "case")
        yield TriedEdit(int(rows[start]["number"]), tuple(cases))


def _content(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    """Each complete line. A line that a killed process left incomplete is dropped."""
    if not file.is_file():
        return
    # Not splitlines(): it also splits at characters that a file name may contain.
    for line in file.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]:
        try:
            yield json.loads(line)
        except ValueError as error:
            raise GraderError(f"{file.name} holds a line that is no JSON: {error}") from None


def _case_run(row: dict[str, Any]) -> CaseRun:
    return shaped(CaseRun, row | {"name": row["case"]})


def _launch_shape(row: Mapping[str, Any]) -> LaunchShape:
    return shaped(LaunchShape, row)


def _findings(rows: Iterable[dict[str, Any]], lab: Lab, submission: Submission) -> Iterator[Finding]:
    return (
        finding_of(row, submission) for row in rows if not is_count(row) and row["code"] not in lab.forgives
    )
