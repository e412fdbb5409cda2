"""Reference timings: how fast each lab's solution is on the GPU at hand, and under which conditions."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path

from . import gpu, harness, sandbox
from .errors import GraderError
from .harness import Order
from .house import House
from .records import Lab, Size
from .run import size_name
from .submission import from_file
from .workshop import Place, Workshop

_QUERY = ("driver_version", "clocks.sm", "clocks.mem", "temperature.gpu", "clocks_throttle_reasons.active")


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
class Conditions:
    """What a reader needs to know before comparing."""

    gpu: str
    toolkit: str
    harness: str
    state: dict[str, str]  # nvidia-smi's words before the first timing


def measure(shop: Workshop) -> tuple[Conditions, tuple[ReferenceTiming, ...]]:
    """Time every lab's solution at its GPU sizes. GraderError without a GPU or where a timing fails."""
    if shop.setting.device != "gpu":
        raise GraderError(
            "reference timings are measured on a GPU, and none answers here", remedy="type `warpgrade doctor`"
        )
    setting = shop.setting
    conditions = Conditions(setting.device_name, setting.toolkit, setting.grader, state())
    rows = tuple(row for place in shop.places for row in _timed(place, shop))
    return conditions, rows


def _timed(place: Place, shop: Workshop) -> tuple[ReferenceTiming, ...]:
    lab = place.lab
    sizes = ",".join(map(size_name, lab.performance.gpu_sizes))
    fatbin = place.reference.fatbin
    if fatbin is None:
        raise GraderError("solutions are not in this copy of the course", remedy="ask your instructor")
    order = Order(lab, fatbin, place.data, ("--mode", "time", "--sizes", sizes), "gpu", reference=fatbin)
    source = shop.bench.house.solution(lab.name) / lab.files[0]
    report = harness.start(order, shop.bench, from_file(source, lab, "reference"))
    failed = next((timing.error for timing in report.timings if timing.error), "")
    if failed or not report.ended or not report.timings:
        raise GraderError(f"{lab.name}: {failed or report.outcome.stderr.strip()[-300:] or 'no timing'}")
    digest = place.reference.build.fatbin_hash or ""
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
        solution=digest[:16],
    )


def state() -> dict[str, str]:
    """What nvidia-smi says of the first GPU; empty where it does not answer."""
    command = ["nvidia-smi", f"--query-gpu={','.join(_QUERY)}", "--format=csv,noheader"]
    try:
        outcome = sandbox.run_own(command, {}, sandbox.Limits(seconds=20))
    except GraderError:
        return {}
    words = outcome.stdout.splitlines()[0].split(",") if outcome.status == 0 and outcome.stdout else []
    return dict(zip(_QUERY, (word.strip() for word in words), strict=False))


def write(house: House, conditions: Conditions, rows: tuple[ReferenceTiming, ...]) -> Path:
    """Into datasets/reference-timings/, one file for each GPU."""
    path = house.root / "datasets" / "reference-timings" / gpu.file_name(conditions.gpu)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"conditions": asdict(conditions), "timings": [asdict(row) for row in rows]}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return path
