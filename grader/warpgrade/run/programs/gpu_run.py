"""Run a student's whole program on a GPU: once for each case, on NVIDIA's runtime, without a back end.

This run shows whether the output is right on a GPU. The emulator's runs (program.py), which see every call,
show where the output came from, what was not freed and which errors the program noticed.
"""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ...core.errors import GraderError
from ...core.paths import typed
from ...core.scratch import scratch_folder
from ...gpu import conditions, devices, turns
from ...gpu.devices import BrokenDevice, Device
from ...records import Case, CaseRun, Lab, ProgramRun, Run
from ...sandbox import process
from ...sandbox.process import Box, Mount, ResourceLimits
from ..harness import RunnerConfig, runtime_libraries
from .cases import DISK, MEMORY, CaseFiles, files_of, judge_runs, seconds_of

_MIB = 1 << 20
_MOST_OUTPUT = 8 * _MIB
_MOST_PRINTED = 16 << 10
_TIMEOUTS = 2  # cases that time out before the others are skipped
_BLAMELESS = ("pass", "wrong_answer")  # the GPU itself works


def on_gpu(
    ran: Run, program: Path, lab: Lab, runner: RunnerConfig, reference: Path | None, data: Path
) -> Run:
    """Add the cases on a GPU to what the emulator found. `reference`: the solution's program.

    BrokenDevice if the solution fails there as well.
    """
    files = {case.name: files_of(data, case.name) for case in lab.cases}
    with runner.gpus.one() as gpu:
        runs = _all_cases(program, lab, files, runner, gpu)
        cases = judge_runs(runs, files, lab, data, runner)
        if reference is not None and any(case.status not in _BLAMELESS for case in cases):
            _still_works(reference, lab, data, runner, gpu)
        return replace(ran, device="gpu", device_name=_name_of(gpu), device_cases=cases)


def name_if_it_works(reference: Path, lab: Lab, runner: RunnerConfig, data: Path) -> str:
    """Name of the GPU on which the solution's program is right in the lab's first case. GraderError if it is
    not.
    """
    with runner.gpus.one() as gpu:
        found = _first_case(reference, lab, data, runner, gpu)
        if found.status != "pass":
            words = f"the reference solution does not run on it: {found.sentence}"
            raise GraderError(words, remedy=typed("doctor"))
        return _name_of(gpu)


def _all_cases(
    program: Path, lab: Lab, files: Mapping[str, CaseFiles], runner: RunnerConfig, gpu: Device | None
) -> tuple[ProgramRun, ...]:
    runs: list[ProgramRun] = []
    for case in lab.cases:
        if sum(run.timed_out for run in runs) >= _TIMEOUTS:
            runs.append(ProgramRun(case.name, not_begun=True))
        else:
            runs.append(_run_case(program, case, files[case.name], lab, runner, gpu))
    return tuple(runs)


def _first_case(program: Path, lab: Lab, data: Path, runner: RunnerConfig, gpu: Device | None) -> CaseRun:
    first = lab.cases[0]
    files = {first.name: files_of(data, first.name)}
    run = _run_case(program, first, files[first.name], lab, runner, gpu)
    (found,) = judge_runs([run], files, lab, data, runner)
    return found


def _still_works(reference: Path, lab: Lab, data: Path, runner: RunnerConfig, gpu: Device | None) -> None:
    found = _first_case(reference, lab, data, runner, gpu)
    if found.status != "pass":
        raise BrokenDevice(
            f"{_name_of(gpu)} fails with the reference solution as well: {found.sentence}",
            remedy="it is not used any more; see nvidia-smi, and a restart may help",
        )


def _run_case(
    program: Path, case: Case, files: CaseFiles, lab: Lab, runner: RunnerConfig, gpu: Device | None
) -> ProgramRun:
    mounts, search = runtime_libraries("gpu", runner)
    mounts += [Mount(program, "/course/program")]
    mounts += [Mount(path, f"/data/{name}.npy") for name, path in files.inputs.items()]
    command = ["/course/program", *(f"/data/{name}.npy" for name in files.inputs)]
    command += [f"/box/{output.name}.npy" for output in files.outputs]
    limits = ResourceLimits(
        seconds=seconds_of(lab), memory_bytes=MEMORY, address_bytes=None,
        file_bytes=64 * _MIB, disk_bytes=DISK, output_bytes=_MOST_PRINTED, drain=True, patience=1.0,
    )  # fmt: skip
    with scratch_folder(runner.repository) as work:
        environment = {"LD_LIBRARY_PATH": search, **devices.environment(gpu)}
        box = Box(work, tuple(mounts), devices.nodes(gpu), environment)
        with turns.turn(gpu, runner.repository):
            outcome = process.run(command, box, limits, runner.sandbox, "program on a GPU")
        outputs = [_content(work / f"{output.name}.npy") for output in files.outputs]
    return ProgramRun(
        case.name,
        exit_code=-1 if outcome.signal else outcome.status,
        signal=outcome.signal or 0,
        timed_out=outcome.timed_out,
        too_much="files" if outcome.spilled else "memory" if outcome.overfull else "",
        from_device=True,  # what the emulator's run shows
        errors=outcome.stderr,
        outputs=tuple(base64.b64encode(output).decode() for output in outputs),
    )


def _content(path: Path) -> bytes:
    """The content of a regular file, up to the size limit. A link is not followed, because the program made
    the file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_MOST_OUTPUT) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""


def _name_of(gpu: Device | None) -> str:
    """The driver's name of the GPU."""
    if gpu is not None and gpu.name:
        return gpu.name
    which = [] if gpu is None else ["-i", gpu.uuid or str(gpu.number)]
    return (conditions.ask([*which, "--query-gpu=name"]) or "GPU").split("\n")[0].strip()
