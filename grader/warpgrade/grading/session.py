"""All that grading needs and that is the same for every submission: made once, shared by all jobs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..build import toolkit
from ..build.compiler import FLAGS, Compiler
from ..build.toolkit import Toolkit
from ..core.code_hash import code_hash
from ..core.errors import GraderError, SandboxError, WarpgradeError
from ..core.paths import Repository, file_hash, need, text_hash, typed
from ..gpu import conditions, devices, spec
from ..gpu.devices import Pool
from ..gpu.spec import GpuSpec
from ..records import Lab, Setting
from ..run import compute_sanitizer, datasets, harness
from ..run.harness import Bench, Order
from ..run.run import Reference
from ..sandbox import process
from ..submission import admit
from .reference import compile_reference

DEVICES = ("auto", "gpu", "emulator")  # or the number of one GPU
# The modules that begin the stages whose records are saved under a key: what these can import decides what
# the records say (core/code_hash.py).
SAVED_STAGES = (
    "warpgrade.course.lab",
    "warpgrade.submission.admit",
    "warpgrade.build.compiler",
    "warpgrade.grading.reference",
    "warpgrade.run.run",
)
# These stages work on the saved records each time.
JUDGING_STAGES = ("warpgrade.judge.findings", "warpgrade.judge.verdict", "warpgrade.judge.score")
_DIGITS = 16


@dataclass(frozen=True)
class Wish:
    """What was asked for on the command line."""

    device: str = "auto"  # one of DEVICES, or the number of one GPU
    sandbox: str = "bwrap"
    gpu_model: str = "h200"
    jobs: int = 0  # 0: one for each core
    sanitizer: bool = False  # on a GPU: compute-sanitizer's opinion, too
    measured: bool = False  # what was asked for can only be had from a GPU
    fresh: bool = False  # a class: values of all cases depend on the secret salt, see datasets.seed


@dataclass(frozen=True)
class Place:
    """What one lab needs beside a submission."""

    lab: Lab
    reference: Reference
    data: Path
    fingerprint: str  # of all that a run of this lab depends on


@dataclass(frozen=True)
class Workshop:
    repository: Repository
    places: tuple[Place, ...]
    compiler: Compiler
    bench: Bench
    gpu: GpuSpec
    setting: Setting
    jobs: int
    build_fingerprint: str
    notes: tuple[str, ...] = ()

    @property
    def labs(self) -> tuple[Lab, ...]:
        return tuple(place.lab for place in self.places)


def prepare(repository: Repository, labs: Sequence[Lab], wish: Wish) -> Workshop:
    """Toolkit, references and data for these labs. WarpgradeError with a remedy for what is missing."""
    trouble = process.why_unavailable(wish.sandbox)
    if trouble:
        raise SandboxError(
            f"the sandbox cannot start: {trouble}",
            remedy=f"{typed('doctor')}; --sandbox=none grades without a sandbox, for code that you trust",
        )
    tools = toolkit.find(repository)
    card = spec.load(repository, wish.gpu_model)
    jobs = wish.jobs or os.cpu_count() or 1
    threads = max(1, (os.cpu_count() or 1) // jobs)
    compiler = Compiler(repository, tools, wish.sandbox, _own_architecture(wish.device) or card.architecture)
    salt = datasets.secret(repository)
    bench = Bench(
        repository, tools, wish.sandbox, wish.gpu_model, threads, salt,
        cards=Pool(devices.chosen(devices.find(), wish.device)), sanitizer=_sanitizer(wish, tools),
    )  # fmt: skip
    of_build = _build_fingerprint(compiler)
    of_emulator = file_hash(need(repository.emulator, "type `make tools`"))
    of_tools = text_hash(of_build, of_emulator, file_hash(repository.gpus / f"{wish.gpu_model}.toml"))
    data = {lab.name: datasets.prepare(repository, lab, salt, wish.fresh) for lab in labs}
    places = tuple(_place(lab, compiler, of_tools, data[lab.name], salt) for lab in labs)
    device, name, notes = _choose_device(wish, places[0], bench)
    setting = Setting(
        device=device,
        device_name=name or f"emulator of {card.name}",
        sandbox=wish.sandbox,
        toolkit=tools.version,
        grader=code_hash(*SAVED_STAGES, *JUDGING_STAGES)[:_DIGITS],
        salt=text_hash("salt", salt)[:8],
        gpu_model=card.model,
    )
    places = tuple(replace(place, fingerprint=text_hash(place.fingerprint, device, name)) for place in places)
    return Workshop(repository, places, compiler, bench, card, setting, jobs, of_build, notes)


def _place(lab: Lab, compiler: Compiler, of_tools: str, data: Path, salt: str) -> Place:
    repository = compiler.repository
    reference = compile_reference(lab, compiler, of_tools)
    of_harness = file_hash(need(repository.harness(lab.name), "type `make tools`"))
    sizes = (lab.performance.sizes, lab.performance.gpu_sizes)
    about = (lab.kernel, repr(sizes), repr(lab.limits), data.name, salt)
    fingerprint = text_hash(of_tools, reference.build.fatbin_hash, of_harness, *about)
    return Place(lab, reference, data, fingerprint)


def _build_fingerprint(compiler: Compiler) -> str:
    headers = sorted(path for path in compiler.repository.common.rglob("*") if path.is_file())
    about = (compiler.toolkit.version, compiler.architecture, compiler.sandbox, *FLAGS)
    return text_hash(code_hash(*SAVED_STAGES), file_hash(*headers), *about)


# --- which device ------------------------------------------------------------------------------


def _own_architecture(wanted: str) -> str:
    """Of the GPU here, "sm_90"; empty where there is none or it is not to be used."""
    if wanted == "emulator" or not any(Path("/dev").glob("nvidia[0-9]*")):
        return ""
    told = conditions.ask(["--query-gpu=compute_cap"]) or ""
    found = re.match(r"\d+\.\d+$", told.strip().split("\n")[0])
    return spec.architecture_of(found[0]) if found else ""


def _sanitizer(wish: Wish, tools: Toolkit) -> Path | None:
    if not wish.sanitizer:
        return None
    found = compute_sanitizer.folder(tools)
    if found is None:
        raise GraderError(
            "compute-sanitizer is not installed", remedy="leave --sanitizer out, or install CUDA's toolkit"
        )
    return found


def _choose_device(wish: Wish, place: Place, bench: Bench) -> tuple[str, str, tuple[str, ...]]:
    """Device, its name ("" for the emulator), notes. "auto" takes a GPU if one answers."""
    wanted = "gpu" if wish.device.isdigit() else wish.device
    if wanted == "emulator":
        return "emulator", "", ()
    if not any(Path("/dev").glob("nvidia[0-9]*")):
        if wanted == "gpu":
            without = "type the same on a machine that has one" if wish.measured else "leave --device out"
            raise GraderError("there is no GPU on this machine", remedy=without)
        return "emulator", "", ()
    try:
        return "gpu", _probe(place, bench), ()
    except WarpgradeError as error:
        if wanted == "gpu":
            raise
        return "emulator", "", (f"the GPU does not answer, so the emulator is used: {error}",)


def _probe(place: Place, bench: Bench) -> str:
    """Name of the GPU on which the reference solution is right."""
    lab, fatbin = place.lab, place.reference.fatbin
    if fatbin is None:
        raise GraderError("solutions are not in this copy of the course", remedy="type --device emulator")
    order = Order(lab, fatbin, place.data, ("--mode", "check"), "gpu")
    source = bench.repository.solution(lab.name) / lab.files[0]
    report = harness.start(order, bench, admit.from_file(source, lab, "reference"))
    wrong = next((case for case in report.cases if case.status != "pass"), None)
    if wrong or not report.ended or report.environment.get("emulated", True):
        words = wrong.message if wrong else report.outcome.stderr.strip()[-300:]
        raise GraderError(f"the reference solution does not run on it: {words}", remedy=typed("doctor"))
    return str(report.environment["device"])
