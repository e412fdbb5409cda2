"""The session: everything that all submissions share. It is made once and used by all jobs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..answers import questions
from ..answers.questions import QuestionFile
from ..build import toolkit
from ..build.compiler import FLAGS, Compiler
from ..build.toolkit import Toolkit
from ..core.code_hash import code_hash
from ..core.concurrency import profiling
from ..core.errors import GraderError, InstructorError, WarpgradeError
from ..core.paths import Repository, file_hash, need, need_harness, text_hash, typed
from ..gpu import conditions, devices, spec
from ..gpu.devices import DevicePool
from ..gpu.spec import GpuSpec
from ..records import Build, BuildStatus, Lab, LabKind, Problem, Setting
from ..run import compute_sanitizer, datasets, harness
from ..run.harness import HarnessJob, RunnerConfig
from ..run.programs import gpu_run
from ..run.run import Reference
from ..sandbox import choice, confine
from ..submission import admit
from . import faults
from .faults import PreparedFault
from .progress import Meter, Progress
from .reference import compile_reference, confirm

# The entry modules of the stages whose records are saved under a key. The key covers every module that these
# can import (core/code_hash.py).
SAVED_STAGES = (
    "warpgrade.course.lab",
    "warpgrade.submission.admit",
    "warpgrade.build.kinds",
    "warpgrade.grading.reference",
    "warpgrade.answers.stages",
    "warpgrade.run.programs.program",
    "warpgrade.run.programs.gpu_run",
    "warpgrade.run.run",
)
# These stages run on the saved records each time.
JUDGING_STAGES = (
    "warpgrade.judge.findings",
    "warpgrade.judge.verdict",
    "warpgrade.judge.score",
    "warpgrade.grading.faults",
)
_DIGITS = 16
_MEMORY_OF_JOB = (
    4 << 30
)  # bytes of a GPU that one job may need: CUDA's context and the arrays of a timed size


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    device: str = "auto"  # one of devices.CHOICES, or the number of one GPU
    sandbox: str = choice.AUTO
    gpu_model: str = "h200"
    jobs: int = 0  # 0: one more than there are cores, on a GPU as many
    sanitizer: bool = False  # on a GPU: run compute-sanitizer, too
    measured: bool = False  # the command needs measured times, which only a GPU gives
    practice: bool = False  # a student checks: names of faults are not judged
    times_elsewhere: bool = False  # another machine, with the GPU `gpu_model`, takes the times
    cores: int = 0  # that may be used; 0: all that the process may use
    fresh: bool = False  # a class: values of all cases depend on the secret salt, see datasets.seed
    public: bool = False  # sizes and values as without a secret: those that every student's check uses
    leaves_out: bool = False  # labs with a mistake of the instructor, where others have none


@dataclass(frozen=True)
class PreparedLab:
    """What one lab needs besides a submission."""

    lab: Lab
    reference: Reference
    data: Path
    fingerprint: str  # of all that a run of this lab depends on
    # Labs of the kind `answers` only. The fingerprint covers the questions.
    questions: QuestionFile | None = field(default=None, compare=False)
    faults: tuple[PreparedFault, ...] = ()


@dataclass(frozen=True)
class Session:
    repository: Repository
    prepared_labs: tuple[PreparedLab, ...]
    compiler: Compiler
    runner: RunnerConfig
    gpu: GpuSpec
    setting: Setting
    jobs: int
    build_fingerprint: str
    notes: tuple[str, ...] = ()
    left_out: tuple[Problem, ...] = ()  # what is wrong with labs that cannot be graded
    times_elsewhere: bool = False  # what needs the GPU is left to another machine

    @property
    def labs(self) -> tuple[Lab, ...]:
        return tuple(prepared.lab for prepared in self.prepared_labs)


def prepare(
    repository: Repository, labs: Sequence[Lab], options: Options, progress: Progress | None = None
) -> Session:
    """Toolkit, references and data for these labs. WarpgradeError with a remedy for what is missing."""
    options = replace(options, sandbox=choice.chosen(options.sandbox))
    tools = toolkit.find(repository)
    gpu = spec.load(repository, options.gpu_model)
    cores = options.cores or len(os.sched_getaffinity(0))
    own = _own_architecture("emulator" if options.times_elsewhere else options.device)
    jobs = options.jobs or _as_many_as_useful(cores, own)
    threads = max(1, cores // jobs)
    compiler = Compiler(repository, tools, options.sandbox, own or gpu.architecture)
    salt = datasets.DEFAULT_SALT if options.public else datasets.secret(repository)
    runner = RunnerConfig(
        repository, tools, options.sandbox, options.gpu_model, threads, salt,
        gpus=_pool(options, jobs),
        sanitizer=_sanitizer(options, tools),
    )  # fmt: skip
    of_build = _build_fingerprint(compiler)
    of_gpu = file_hash(repository.gpus / f"{options.gpu_model}.toml")
    labs = tuple(datasets.drawn(lab, salt) for lab in labs)

    def prepared(lab: Lab) -> PreparedLab | Problem:
        try:
            if lab.kind is LabKind.ANSWERS:
                return _with_questions(lab, repository, of_build)
            return _prepared(lab, compiler, runner, of_build, of_gpu, options)
        except InstructorError as error:
            if not options.leaves_out or len(labs) == 1:
                raise
            return error.problem()

    prepared_labs, left_out = _sound_and_wrong(_of_each(labs, prepared, jobs, progress))
    if not prepared_labs and left_out:
        raise InstructorError(left_out[0].message, file=left_out[0].where, remedy=left_out[0].remedy)
    device, name, notes = _choose_device(options, prepared_labs, runner, gpu)
    setting = _setting(device, name, gpu, runner)
    prepared_labs = tuple(
        replace(prepared, fingerprint=text_hash(prepared.fingerprint, device, name))
        for prepared in prepared_labs
    )
    elsewhere = options.times_elsewhere and device == "gpu"
    return Session(
        repository, prepared_labs, compiler, runner, gpu, setting, jobs, of_build, notes, left_out, elsewhere
    )


def _sound_and_wrong(
    found: Sequence[PreparedLab | Problem],
) -> tuple[tuple[PreparedLab, ...], tuple[Problem, ...]]:
    """The labs that can be graded, and what is wrong with the others."""
    sound = tuple(each for each in found if isinstance(each, PreparedLab))
    return sound, tuple(each for each in found if isinstance(each, Problem))


def _setting(device: str, name: str, gpu: GpuSpec, runner: RunnerConfig) -> Setting:
    """What the results say of the session."""
    return Setting(
        device=device,
        device_name=name or f"emulator of {gpu.name}",
        sandbox=runner.sandbox,
        toolkit=runner.toolkit.version,
        grader=code_hash(*SAVED_STAGES, *JUDGING_STAGES)[:_DIGITS],
        salt=text_hash("salt", runner.salt)[:8],
        gpu_model=gpu.model,
    )


def _of_each(
    labs: Sequence[Lab],
    prepared: Callable[[Lab], PreparedLab | Problem],
    jobs: int,
    progress: Progress | None,
) -> tuple[PreparedLab | Problem, ...]:
    """`jobs` labs at a time: other processes do the work. After an error, map() begins no other lab."""
    meter = Meter(len(labs), progress, what="labs prepared")

    def metered(lab: Lab) -> PreparedLab | Problem:
        meter.begin(lab.name)
        try:
            return prepared(lab)
        finally:
            meter.end(lab.name)

    with profiling.lap("preparation"), ThreadPoolExecutor(jobs) as pool:
        return tuple(pool.map(metered, labs))


def _as_many_as_useful(cores: int, own: str) -> int:
    """One job more than cores: while one waits for the disk, its core works on another. Where a GPU, `own`,
    takes times, each job's host has a core of its own.
    """
    return cores if own else cores + 1


def _pool(options: Options, jobs: int) -> DevicePool:
    """The GPUs to use, each for as many jobs at a time as its memory allows."""
    found = devices.chosen(devices.find(), options.device)
    if options.device == "emulator":
        return DevicePool(found)
    least = conditions.least_memory(found)
    return DevicePool(found, max(1, min(jobs, least // _MEMORY_OF_JOB)))


def _emulator_hash(repository: Repository, lab: Lab) -> str:
    """Hash of the programs that run the lab's submissions without a GPU."""
    programs = [repository.emulator]
    if lab.kind is LabKind.PROGRAM or any(fault.program for fault in lab.faults):
        programs += [repository.backend, repository.frontend]
    return file_hash(*(need(program, "type `make tools`") for program in programs))


def _with_questions(lab: Lab, repository: Repository, of_tools: str) -> PreparedLab:
    """A lab of questions needs neither a compiled reference nor data."""
    fingerprint = text_hash(of_tools, lab.hash, lab.seed)
    reference = Reference(None, Build(BuildStatus.BUILT, ""))
    return PreparedLab(
        lab, reference, repository.datasets, fingerprint, questions.of_lab(repository, lab.name)
    )


def _prepared(
    lab: Lab, compiler: Compiler, runner: RunnerConfig, of_build: str, of_gpu: str, options: Options
) -> PreparedLab:
    repository, salt = compiler.repository, runner.salt
    of_tools = text_hash(of_build, _emulator_hash(repository, lab), of_gpu)
    data = datasets.prepare(repository, lab, salt, options.fresh)
    datasets.need_known_arrays(lab, data, repository)
    reference = compile_reference(lab, compiler, of_tools)
    of_harness = file_hash(need_harness(repository, lab.name))
    sizes = (lab.performance.sizes, lab.performance.gpu_sizes)
    about = (repr(lab.kernels), repr(sizes), repr(lab.limits), data.name, salt)
    found = faults.prepare(lab, compiler, runner, of_tools, options.fresh, options.practice)
    keys = (repr((each.fingerprint, each.key)) for each in found)
    fingerprint = text_hash(of_tools, reference.build.fatbin_hash, of_harness, *about, *keys)
    if options.fresh:
        confirm(lab, reference, data, runner, compiler, fingerprint)
    return PreparedLab(datasets.with_arrays(lab, data), reference, data, fingerprint, faults=found)


def _build_fingerprint(compiler: Compiler) -> str:
    headers = sorted(path for path in compiler.repository.common.rglob("*") if path.is_file())
    about = (compiler.toolkit.version, compiler.architecture, compiler.sandbox, *FLAGS)
    of_emu = file_hash(need(compiler.repository.emu, "type `make tools`"))
    return text_hash(code_hash(*SAVED_STAGES), of_emu, file_hash(*headers), *about)


# --- which device ------------------------------------------------------------------------------


def _own_architecture(wanted: str) -> str:
    """Architecture of this machine's GPU, such as "sm_90"; empty if there is none or it is not to be used."""
    if wanted == "emulator" or not any(Path("/dev").glob("nvidia[0-9]*")):
        return ""
    answer = conditions.ask(["--query-gpu=compute_cap"]) or ""
    found = re.match(r"\d+\.\d+$", answer.strip().split("\n")[0])
    return spec.architecture_of(found[0]) if found else ""


def _sanitizer(options: Options, tools: Toolkit) -> Path | None:
    if not options.sanitizer:
        return None
    found = compute_sanitizer.folder(tools)
    if found is None:
        raise GraderError(
            "compute-sanitizer is not installed", remedy="leave --sanitizer out, or install CUDA's toolkit"
        )
    if options.sandbox in confine.KINDS:  # the tool talks to the harness, and may not
        raise GraderError(
            f"compute-sanitizer does not work in the sandbox {options.sandbox}",
            remedy="type --sandbox bwrap, or leave --sanitizer out",
        )
    return found


def _choose_device(
    options: Options, prepared_labs: Sequence[PreparedLab], runner: RunnerConfig, gpu: GpuSpec
) -> tuple[str, str, tuple[str, ...]]:
    """The device, its name ("" for the emulator), and notes. "auto" takes a GPU if one works."""
    probed = next((each for each in prepared_labs if not each.questions), None)
    if probed is None:  # questions alone use no device
        return "emulator", "", ()
    if options.times_elsewhere:
        return "gpu", gpu.name, ()
    wanted = "gpu" if options.device.isdigit() else options.device
    if wanted == "emulator":
        return "emulator", "", ()
    if not any(Path("/dev").glob("nvidia[0-9]*")):
        if wanted == "gpu":
            without = "type the same on a machine that has one" if options.measured else "leave --device out"
            raise GraderError("there is no GPU on this machine", remedy=without)
        return "emulator", "", ()
    try:
        return "gpu", _probe(probed, runner), ()
    except WarpgradeError as error:
        if wanted == "gpu":
            raise
        return "emulator", "", (f"the GPU does not answer, so the emulator is used: {error}",)


def _probe(prepared: PreparedLab, runner: RunnerConfig) -> str:
    """Name of the GPU on which the reference solution is right."""
    lab, fatbin = prepared.lab, prepared.reference.fatbin
    if fatbin is None:
        raise GraderError("solutions are not in this copy of the course", remedy="type --device emulator")
    if lab.kind is LabKind.PROGRAM:
        return gpu_run.name_if_it_works(fatbin, lab, runner, prepared.data)
    job = HarnessJob(lab, fatbin, prepared.data, ("--mode", "check"), "gpu")
    source = runner.repository.solution(lab.name) / lab.files[0]
    report = harness.start(job, runner, admit.from_file(source, lab, "reference"))
    wrong = next((case for case in report.cases if case.status != "pass"), None)
    if wrong or not report.ended or report.environment.get("emulated", True):
        words = wrong.message if wrong else report.outcome.stderr.strip()[-300:]
        raise GraderError(f"the reference solution does not run on it: {words}", remedy=typed("doctor"))
    return str(report.environment["device"])
