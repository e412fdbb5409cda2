"""How often timed launches executed each machine instruction: the time model prefers these counts to the PTX
counters."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from ..build.emu import Emu, UnreadableFile
from ..build.sass import Code
from ..core.paths import Repository
from ..course import work
from ..gpu import spec
from ..gpu.spec import GpuSpec
from ..perfmodel import model
from ..records import Launch
from ..tables import nsight
from .harness import HarnessJob, RunnerConfig
from .timed_launch import is_reference, size_of

_LEAST = 0.5  # machine instructions for one of PTX


def counted(launches: Sequence[Launch], job: HarnessJob, runner: RunnerConfig) -> tuple[Launch, ...]:
    """Add to each launch the counts of its machine instructions: the time model is more exact with them than
    with PTX.
    """
    gpu = spec.load(runner.repository, runner.gpu_model)
    found = []
    share = _shares(launches)
    for launch in launches:
        fatbin = job.reference if is_reference(launch) else job.fatbin
        size = size_of(launch)
        code = _kernels(fatbin, gpu, runner).get(launch.kernel) if fatbin and size else None
        if code and size:
            part = model.part_of(work.of(job.lab, size), work.of(job.lab, work.whole(job.lab)))
            mixed = model.with_mix(launch, code, part * share[launch.launch], gpu)
            launch = mixed if _is_whole(mixed) else launch
        found.append(launch)
    return tuple(found)


def _shares(launches: Sequence[Launch]) -> dict[int, float]:
    """Launch number → its share of the traffic of all launches with the same label."""
    found: dict[int, float] = {}
    for label in dict.fromkeys(launch.label for launch in launches):
        group = [launch for launch in launches if launch.label == label]
        found |= dict(zip([launch.launch for launch in group], model.shares(group), strict=True))
    return found


def _is_whole(launch: Launch) -> bool:
    """Whether the machine code accounts for the instructions counted in PTX. ptxas removes at most two of
    five; if more are missing, the machine code was manipulated.
    """
    counted = launch.counters.get(nsight.WARP_INSTRUCTIONS, 0)
    return launch.mix is not None and launch.mix.instructions >= _LEAST * counted


def _kernels(fatbin: Path, gpu: GpuSpec, runner: RunnerConfig) -> dict[str, Code]:
    """Kernel → machine code; empty if there is none for this GPU or none that can be read. Then the PTX
    counters are used.

    They are also used for kernels that call functions: instruction_mix.py cannot infer how often a function
    is called, and work could be hidden there. Other kernels of the same file keep their machine code.
    """
    status = fatbin.stat()
    version = (status.st_mtime_ns, status.st_size)
    return _read_code(runner.repository, runner.sandbox, fatbin, version, gpu.architecture)


@functools.lru_cache(maxsize=64)  # the reference is read for every submission
def _read_code(
    repository: Repository, sandbox: str, fatbin: Path, _version: tuple[int, int], architecture: str
) -> dict[str, Code]:
    try:
        found = Emu(repository, sandbox).machine_code(fatbin, architecture)
    except UnreadableFile:
        return {}
    return {name: code for name, code in found.kernels.items() if name not in found.callers}
