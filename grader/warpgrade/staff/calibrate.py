"""Reference timings: times of each lab's solution on this machine's GPU, with their conditions.

A row is stale if one of its inputs has changed: the solution's device code, the harness, the toolkit, or the
sizes in lab.toml.
"""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from .. import records
from ..core import store
from ..core.errors import GraderError
from ..core.paths import Repository, text_hash, typed
from ..core.serialize import to_data
from ..course import draws, work
from ..gpu import conditions, spec
from ..gpu.devices import Device
from ..grading.session import PreparedLab, Session
from ..judge.causes.source_text import bare
from ..records import GpuState, Lab, Size
from ..run import harness
from ..run.harness import HarnessJob
from ..run.timed_launch import size_name
from ..submission.admit import from_file

_DIGITS = 16
_UNTIMED = ("comparison", "patterns", "influence")  # rooms of the harness


@dataclass(frozen=True)
class ReferenceTiming:
    """The solution timed against a copy of itself. `spread`: half the interquartile range over the median."""

    lab: str
    size: Size
    milliseconds: float
    spread: float
    launches: int
    gflops: float
    solution: str  # hash of its device code


@dataclass(frozen=True)
class TimingConditions:
    """What two timings must share to be comparable."""

    gpu: str
    driver: str
    toolkit: str
    harness: str  # hash of the harness's sources
    date: str  # UTC, to the day
    before: GpuState | None
    after: GpuState | None


def measure(session: Session) -> tuple[TimingConditions, tuple[ReferenceTiming, ...]]:
    """Time every lab's solution at its GPU sizes. GraderError without a GPU or if a timing fails."""
    if session.setting.device != "gpu":
        raise GraderError(
            "reference timings are measured on a GPU, and none answers here", remedy=typed("doctor")
        )
    setting = session.setting
    with session.runner.gpus.one() as gpu:
        before = conditions.read(gpu)
        labs = map(_public, session.prepared_labs)
        rows = tuple(row for prepared in labs for row in _timed(prepared, gpu, session))
        after = conditions.read(gpu)
    why = conditions.unfit(records.Conditions("", before, after))
    if why:
        raise GraderError(f"the GPU was not fit for timing: {why}", remedy="calibrate again later")
    driver = before.driver if before else ""
    today = time.strftime("%Y-%m-%d", time.gmtime())
    harness_now = harness_hash(session.repository)
    measured = TimingConditions(
        setting.device_name, driver, setting.toolkit, harness_now, today, before, after
    )
    return measured, rows


def harness_hash(repository: Repository) -> str:
    """Hash of the sources that time a kernel, without comments and white space.

    A timing compares nothing between its events, so the rooms that explain wrong answers do not count.
    """
    folder = repository.root / "grader" / "harness"
    sources = [each for each in sorted(folder.rglob("*.[ch]pp")) if each.parent.name not in _UNTIMED]
    code = (bare(source.read_text(encoding="utf-8")) for source in sources)
    return text_hash(*("".join(text.split()) for text in code))[:_DIGITS]


def stale(repository: Repository, session: Session) -> list[str]:
    """Rows of datasets/reference-timings/ whose inputs have changed, as sentences."""
    found = []
    for path in sorted((repository.root / "datasets" / "reference-timings").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        measured = data["conditions"]
        now = {"harness": harness_hash(repository), "toolkit": session.setting.toolkit}
        changed = [name for name in now if measured.get(name) != now[name]]
        found += [f"{path.name}: another {name} measured it" for name in changed]
        known = {(row["lab"], tuple(row["size"])): row["solution"] for row in data["timings"]}
        for prepared in session.prepared_labs:
            digest = prepared.reference.build.fatbin_hash[:_DIGITS]
            for size in _public(prepared).lab.performance.gpu_sizes:
                row = f"{path.name}: {prepared.lab.name} {size_name(size)}"
                if (prepared.lab.name, size) not in known:
                    found.append(f"{row} was never measured")
                elif known[prepared.lab.name, size] != digest:
                    found.append(f"{row} is of another solution")
    return found


def _public(prepared: PreparedLab) -> PreparedLab:
    """The lab with the sizes that everybody knows: the file of timings is part of the repository, and no
    grade depends on it.
    """
    return replace(prepared, lab=draws.public(prepared.lab))


def _timed(prepared: PreparedLab, gpu: Device | None, session: Session) -> tuple[ReferenceTiming, ...]:
    lab = prepared.lab
    if not lab.performance.gpu_sizes:
        return ()  # its times are modelled on every device
    sizes = ",".join(map(size_name, lab.performance.gpu_sizes))
    fatbin = prepared.reference.fatbin
    if fatbin is None:
        raise GraderError("solutions are not in this copy of the course", remedy="ask your instructor")
    job = HarnessJob(
        lab, fatbin, prepared.data, ("--mode", "time", "--sizes", sizes), "gpu", gpu, reference=fatbin
    )
    source = session.runner.repository.solution(lab.name) / lab.files[0]
    report = harness.start(job, session.runner, from_file(source, lab, "reference"))
    failed = next((timing.error for timing in report.timings if timing.error), "")
    if failed or not report.ended or not report.timings:
        raise GraderError(f"{lab.name}: {failed or report.outcome.stderr.strip()[-300:] or 'no timing'}")
    digest = prepared.reference.build.fatbin_hash or ""
    return tuple(_row(lab, timing.size, timing.reference_ms, digest) for timing in report.timings)


def _row(lab: Lab, size: Size, times: tuple[float, ...], digest: str) -> ReferenceTiming:
    middle = statistics.median(times)
    quarters = statistics.quantiles(times, n=4) if len(times) > 1 else [middle] * 3
    return ReferenceTiming(
        lab=lab.name,
        size=size,
        milliseconds=round(middle, 6),
        spread=round((quarters[2] - quarters[0]) / 2 / middle, 5),
        launches=len(times),
        gflops=round(work.of(lab, size).flops / (middle * 1e6), 1),
        solution=digest[:_DIGITS],
    )


def write(repository: Repository, measured: TimingConditions, rows: tuple[ReferenceTiming, ...]) -> Path:
    """Write datasets/reference-timings/<gpu>.json."""
    return write_into(file_of(repository, measured.gpu), measured, rows)


def file_of(repository: Repository, gpu: str) -> Path:
    """The file with the timings of a GPU of this model."""
    return repository.root / "datasets" / "reference-timings" / spec.file_name(gpu)


def write_into(path: Path, measured: TimingConditions, rows: tuple[ReferenceTiming, ...]) -> Path:
    """Write the timings into a file of another name."""
    data = {"conditions": to_data(measured), "timings": [asdict(row) for row in rows]}
    store.write_text(path, json.dumps(data, indent=1) + "\n")
    return path
