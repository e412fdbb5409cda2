"""The time of each launch of any CUDA program, predicted without a GPU.

The program runs on the emulator, which counts each launch's instructions and memory traffic. The machine
code for the chosen GPU comes from the program, or from compiling a source file. The performance model
combines both.
"""

from __future__ import annotations

import functools
import json
import math
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..build.emu import Emu, IssueJob, IssueSchedule, UnreadableFile
from ..build.sass import Code
from ..core.errors import GraderError, UsageError
from ..core.paths import Repository, need
from ..gpu.occupancy import theoretical
from ..gpu.spec import GpuSpec
from ..perfmodel import advice, confidence, issue, model
from ..perfmodel.advice import Remedy
from ..perfmodel.uneven_blocks import of_busiest
from ..records import Launch, Occupancy
from ..run.emulator_rows import launch_of
from ..sandbox import process
from ..tables import nsight
from ..tables.hardware import SECTOR
from .own_program import SOURCES, WANTED, compiled, need_file

_SECONDS = 3600.0
# _MORE times as many blocks run where one does more than _UNEVEN times the average work, or none writes.
_UNEVEN, _MORE = 1.1, 16
_Simulate = Callable[[IssueJob], tuple[IssueSchedule, ...]]
_WRITES = (nsight.GLOBAL_STORE_SECTORS, nsight.GLOBAL_ATOMICS)
_MOVED = (
    nsight.GLOBAL_LOAD_SECTORS,
    nsight.GLOBAL_STORE_SECTORS,
)


@dataclass(frozen=True)
class Prediction:
    """One launch's modelled time. `exact`: the model used machine code, not only PTX."""

    launch: Launch
    time: model.ModelledTime
    occupancy: Occupancy | None
    registers: int
    remedy: Remedy
    exact: bool
    confidence: str = ""  # one sentence
    shared_bytes: int = 0  # of a block
    once: float = 0.0  # bytes that the launch has to transfer at least


def predict(
    repository: Repository, program: Path, arguments: Sequence[str], gpu: GpuSpec, sample: int, *,
    source: Path | None = None,
) -> tuple[Prediction, ...]:  # fmt: skip
    """Run a program, or compile and run a source file. `sample`: blocks to run of each launch, 0 for all.
    Where these do unequal work, more of them run.
    `source`: the file that errors name, where that is not the program.

    UsageError if the program cannot run. GraderError if a tool is missing.
    """
    given = program
    need_program(program)
    with tempfile.TemporaryDirectory(prefix="warpgrade-") as folder:
        if program.suffix in SOURCES:
            program = compiled(repository, program, gpu.architecture, Path(folder))

        def launched(blocks: int) -> tuple[Launch, ...]:
            counters = Path(folder) / f"counters-{blocks}.jsonl"
            _run(repository, program, source or given, arguments, gpu, blocks, counters)
            return read(counters)

        launches = launched(sample)
        if sample and any(_says_little(each, sample) for each in launches):
            launches = _from_more(launches, launched(sample * _MORE), sample)
        # The program may lie in the folder, so its machine code is read before the folder is removed.
        code = machine_code(repository, program, gpu)
    return of_launches(repository, launches, code, gpu)


def _says_little(launch: Launch, sample: int) -> bool:
    writes = any(launch.counters.get(name) for name in _WRITES)
    return math.prod(launch.grid) > sample and (of_busiest(launch) > _UNEVEN or not writes)


def _from_more(few: Sequence[Launch], more: Sequence[Launch], sample: int) -> tuple[Launch, ...]:
    """The launches, those with unequal blocks from the run of more blocks. A program of which blocks are left
    out may launch others then."""
    shapes = [[(each.kernel, each.grid, each.block) for each in launches] for launches in (few, more)]
    if shapes[0] != shapes[1]:
        return tuple(few)
    return tuple(other if _says_little(one, sample) else one for one, other in zip(few, more, strict=True))


def need_program(program: Path) -> None:
    """UsageError unless `program` is a source file or can be run."""
    remedy = f"{WANTED}, or a program that was built from one"
    need_file(program, remedy)
    if program.suffix not in SOURCES and not os.access(program, os.X_OK):
        raise UsageError("is neither a .cu file nor a program", file=program, remedy=remedy)


def machine_code(repository: Repository, program: Path, gpu: GpuSpec) -> dict[str, Code]:
    """Kernels by name; empty if the program has none for this GPU. UsageError if it cannot be read.

    Without a sandbox: the program is the user's own, and predict() runs it without one as well."""
    try:
        return Emu(repository, sandbox="none").machine_code(program, gpu.architecture).kernels
    except UnreadableFile as error:
        raise UsageError(f"holds machine code that cannot be read: {error}", file=program) from None


def read(counters: Path) -> tuple[Launch, ...]:
    """The launches in a file that WARPGRADE_COUNTERS wrote. UsageError if it is missing or not JSON."""
    if not counters.is_file():
        raise UsageError("the program launched no kernel", remedy="was it built with `nvcc -cudart shared`?")
    try:
        rows = [json.loads(line) for line in counters.read_text(encoding="utf-8").splitlines()]
    except ValueError as error:
        raise UsageError(f"holds a line that is not JSON: {error}", file=counters) from None
    return tuple(launch_of(row) for row in rows)


def of_launches(
    repository: Repository, launches: Sequence[Launch], code: dict[str, Code], gpu: GpuSpec
) -> tuple[Prediction, ...]:
    schedules = functools.cache(Emu(repository, sandbox="none").schedules)  # launches may be equal
    return tuple(_predicted(launch, code.get(launch.kernel), gpu, schedules) for launch in launches)


def _predicted(launch: Launch, code: Code | None, gpu: GpuSpec, schedules: _Simulate) -> Prediction:
    moved = sum(launch.counters.get(name, 0) for name in _MOVED) * SECTOR
    once = float(min(moved, launch.argument_bytes) if launch.argument_bytes else moved)
    occupancy, shared = None, launch.dynamic_shared
    if code is not None:
        shared = code.shared_bytes + launch.dynamic_shared
        threads = math.prod(launch.block)
        occupancy = theoretical(gpu.limits, gpu.compute_capability, threads, code.registers, shared)
        launch = model.with_mix(launch, code, once, gpu, occupancy, alone=True)
        if found := issue.simulated(launch, code, once, gpu, occupancy):
            ran = [schedules(job) for job in found.jobs]
            launch = issue.with_cycles(launch, issue.cycles(found, ran, gpu))
    time = model.time_of(launch, once, gpu, occupancy, alone=True)
    remedy = advice.best(launch, time, occupancy)
    words = confidence.sentence(launch, time, gpu, occupancy)
    registers = code.registers if code else 0
    return Prediction(launch, time, occupancy, registers, remedy, code is not None, words, shared, once)


def _run(
    repository: Repository,
    program: Path,
    source: Path,
    arguments: Sequence[str],
    gpu: GpuSpec,
    sample: int,
    counters: Path,
) -> None:
    """Run the program on the emulator, which writes its counters. `source`: the file to name in errors."""
    emulator = need(repository.emulator, "type `make tools`").parent
    paths = [str(emulator), *([str(repository.libraries)] if repository.libraries.is_dir() else [])]
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(paths), "WARPGRADE_CHECK": "none"}
    environment |= {
        "WARPGRADE_GPU": gpu.model,
        "WARPGRADE_COUNTERS": str(counters),
        "WARPGRADE_SAMPLE": str(sample),
    }
    limits = process.ResourceLimits(_SECONDS, None, file_bytes=1 << 40, drain=True)
    outcome = process.run_trusted([str(program.resolve()), *arguments], environment, limits)
    if outcome.timed_out:
        raise GraderError(f"the program did not end within {_SECONDS:g} seconds", file=source)
    if outcome.status != 0 and not counters.is_file():
        words = outcome.stderr.strip()[-500:].replace(str(program.resolve()), source.stem)
        call = " ".join(map(repr, arguments))
        raise UsageError(
            f"the program does not run on the emulator: {words or f'exit code {outcome.status}'}",
            file=source,
            remedy=f"its arguments were {call}: try others" if call else "it was started without arguments",
        )
