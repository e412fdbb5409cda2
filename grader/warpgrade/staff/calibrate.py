"""Reference timings: how fast each lab's solution is on the GPU at hand, and under which conditions.

A row is stale when what it was made from is no more what the course holds: the solution's device code, the
harness that times, the toolkit, or the sizes that lab.toml asks for.
"""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from .. import records
from ..core import store
from ..core.errors import GraderError
from ..core.paths import Repository, file_hash, typed
from ..core.serialize import to_data
from ..gpu import conditions, spec
from ..gpu.devices import Device
from ..grading.session import PreparedLab, Session
from ..records import CardState, Lab, Size
from ..run import harness
from ..run.harness import HarnessJob
from ..run.run import size_name
from ..submission.admit import from_file

_DIGITS = 16


@dataclass(frozen=True)
class ReferenceTiming:
    """The solution timed against a second copy of itself. Spread: half the middle half, relative."""

    lab: str
    size: Size
    milliseconds: float
    spread: float
    launches: int
    gflops: float
    solution: str  # hash of its device code: another one makes the row stale


@dataclass(frozen=True)
class TimingConditions:
    """What a reader needs to know before comparing."""

    gpu: str
    driver: str
    toolkit: str
    harness: str  # hash of the harness's sources
    date: str  # UTC, to the day
    before: CardState | None
    after: CardState | None


def measure(session: Session) -> tuple[TimingConditions, tuple[ReferenceTiming, ...]]:
    """Time every lab's solution at its GPU sizes. GraderError without a GPU or where a timing fails."""
    if session.setting.device != "gpu":
        raise GraderError(
            "reference timings are measured on a GPU, and none answers here", remedy=typed("doctor")
        )
    setting = session.setting
    with session.runner.cards.one() as card:
        before = conditions.read(card)
        rows = tuple(row for prepared in session.prepared_labs for row in _timed(prepared, card, session))
        after = conditions.read(card)
    why = conditions.unfit(records.Conditions("", before, after))
    if why:
        raise GraderError(f"the GPU was not fit for timing: {why}", remedy="calibrate again later")
    driver = before.driver if before else ""
    today = time.strftime("%Y-%m-%d", time.gmtime())
    of_harness = harness_hash(session.repository)
    return TimingConditions(
        setting.device_name, driver, setting.toolkit, of_harness, today, before, after
    ), rows


def harness_hash(repository: Repository) -> str:
    """Of the sources that decide how a kernel is timed."""
    sources = sorted((repository.root / "grader" / "harness").glob("*.[ch]pp"))
    return file_hash(*sources)[:_DIGITS]


def stale(repository: Repository, session: Session) -> list[str]:
    """What is no more as it was when the files in datasets/reference-timings/ were written, a line each."""
    found = []
    for path in sorted((repository.root / "datasets" / "reference-timings").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        told = data["conditions"]
        now = {"harness": harness_hash(repository), "toolkit": session.setting.toolkit}
        found += [f"{path.name}: another {name} measured it" for name in now if told.get(name) != now[name]]
        known = {(row["lab"], tuple(row["size"])): row["solution"] for row in data["timings"]}
        for prepared in session.prepared_labs:
            digest = prepared.reference.build.fatbin_hash[:_DIGITS]
            for size in prepared.lab.performance.gpu_sizes:
                row = f"{path.name}: {prepared.lab.name} {size_name(size)}"
                if (prepared.lab.name, size) not in known:
                    found.append(f"{row} was never measured")
                elif known[prepared.lab.name, size] != digest:
                    found.append(f"{row} is of another solution")
    return found


def _timed(prepared: PreparedLab, card: Device | None, session: Session) -> tuple[ReferenceTiming, ...]:
    lab = prepared.lab
    sizes = ",".join(map(size_name, lab.performance.gpu_sizes))
    fatbin = prepared.reference.fatbin
    if fatbin is None:
        raise GraderError("solutions are not in this copy of the course", remedy="ask your instructor")
    job = HarnessJob(
        lab, fatbin, prepared.data, ("--mode", "time", "--sizes", sizes), "gpu", card, reference=fatbin
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
    m, n, k = size
    return ReferenceTiming(
        lab=lab.name,
        size=size,
        milliseconds=round(middle, 6),
        spread=round((quarters[2] - quarters[0]) / 2 / middle, 5),
        launches=len(times),
        gflops=round(2e-6 * m * n * k / middle, 1),
        solution=digest[:_DIGITS],
    )


def write(repository: Repository, told: TimingConditions, rows: tuple[ReferenceTiming, ...]) -> Path:
    """Into datasets/reference-timings/, one file for each GPU."""
    path = repository.root / "datasets" / "reference-timings" / spec.file_name(told.gpu)
    data = {"conditions": to_data(told), "timings": [asdict(row) for row in rows]}
    store.write_text(path, json.dumps(data, indent=1) + "\n")
    return path
