"""Speed on a student's page: the roofline of one kernel and its reference, and the bars of all labs.

The roofline is that of L2: bytes are those that the launch asked of L2 (sectors of 32 bytes), the slope is
L2's bandwidth, the flat part the GPU's float32 peak. Times are modelled or measured, as the verdict says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ...course import work
from ...course.work import AmountOfWork
from ...drawing.figure import svg
from ...drawing.roofline import Roof, RooflineChart, RooflineMark
from ...gpu.spec import GpuSpec
from ...records import Lab, Launch, Result, SizeTime
from ...tables import nsight
from ...tables.hardware import SECTOR
from ..comparisons import Whose, compared_launches
from ..disclosure import TIMED

_SECTORS = (
    nsight.GLOBAL_LOAD_SECTORS,
    nsight.GLOBAL_STORE_SECTORS,
    nsight.LOCAL_LOAD_SECTORS,
    nsight.LOCAL_STORE_SECTORS,
)


@dataclass(frozen=True)
class Point:
    """A kernel under the roof."""

    name: Whose
    intensity: float  # operations for each byte asked of L2
    gflops: float
    share: float  # of what the roof allows at this intensity


@dataclass(frozen=True)
class Roofline:
    svg: Markup
    points: tuple[Point, ...]
    words: str


@dataclass(frozen=True)
class LabBar:
    """One lab's bar, in the unit of the lab's rate."""

    lab: str
    title: str
    unit: str  # "GFLOP/s" or "GB/s"
    student: float
    reference: float
    full: float  # percent of the longest bar with that unit
    mark: float  # where the reference stands, in percent


# --- roofline ----------------------------------------------------------------------------------


def roofline(lab: Lab, result: Result, gpu: GpuSpec | None, id: str) -> Roofline | None:
    """The roofline of the result. None if the kernel was not timed or its counters say nothing."""
    student, reference = compared_launches(lab, result)
    time = _time_of(result, student)
    if gpu is None or student is None or time is None:
        return None
    amount = work.of(lab, time.size)
    if amount.flops <= 0:  # it has no intensity
        return None
    roof = Roof(gpu.peak_gflops_of(amount.tensor_cores), gpu.l2_gigabytes_per_second)
    points = [
        _point(name, launch, amount, milliseconds, roof)
        for name, launch, milliseconds in (
            (Whose.YOURS, student, time.student_ms), (Whose.REFERENCE, reference, time.reference_ms))
        if launch is not None and _bytes(launch) and milliseconds > 0
    ]  # fmt: skip
    if not points or points[0].name is not Whose.YOURS:
        return None
    words = _words(points[0], roof, gpu)
    marks = [_mark(point) for point in points]
    chart = RooflineChart(roof, marks, "operations a byte", "GFLOP/s", _number)
    picture = svg(id, chart.size, f"Roofline of {gpu.name}", words, chart.drawn(), kind="roofline")
    return Roofline(picture, tuple(points), words)


def _words(point: Point, roof: Roof, gpu: GpuSpec) -> str:
    side = "L2's bandwidth" if point.intensity < roof.ridge else "arithmetic"
    return (
        f"Your kernel makes {point.intensity:.2g} operations for each byte that it asks of L2. At that "
        f"intensity the {gpu.name} is limited by {side}, to {roof.limit(point.intensity):,.0f} "
        f"GFLOP/s; yours reaches {point.gflops:,.0f}."
    )


def _time_of(result: Result, launch: Launch | None) -> SizeTime | None:
    performance = result.judgement.performance if result.judgement else None
    if launch is None or performance is None or not launch.label.startswith(TIMED):
        return None
    wanted = launch.label.split("/")[1]
    return next((time for time in performance.sizes if "x".join(map(str, time.size)) == wanted), None)


def _bytes(launch: Launch) -> int:
    return SECTOR * sum(launch.counters.get(name, 0) for name in _SECTORS)


def _point(name: Whose, launch: Launch, amount: AmountOfWork, milliseconds: float, roof: Roof) -> Point:
    intensity = amount.flops / _bytes(launch)
    gflops = amount.flops / (milliseconds * 1e6)
    return Point(name, intensity, gflops, gflops / roof.limit(intensity))


def _mark(point: Point) -> RooflineMark:
    kind, shape = ("mine", "circle") if point.name is Whose.YOURS else ("theirs", "diamond")
    return RooflineMark(kind, shape, point.intensity, point.gflops)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


# --- all labs ----------------------------------------------------------------------------------


def lab_bars(labs: Sequence[tuple[Lab, Result]]) -> tuple[LabBar, ...]:
    """One bar for each timed lab; empty if fewer than two labs were timed."""
    found = []
    for lab, result in labs:
        performance = result.judgement.performance if result.judgement else None
        if performance is not None and performance.sizes:
            time = max(performance.sizes, key=lambda each: work.of(lab, each.size).counted)
            mine, theirs = (work.rate(lab, time.size, each) for each in (time.student_ms, time.reference_ms))
            found.append((lab, mine, theirs))
    if len(found) < 2:
        return ()
    most: dict[str, float] = {}
    for lab, mine, theirs in found:
        most[work.unit(lab)] = max(most.get(work.unit(lab), 0.0), mine, theirs)
    return tuple(_bar(lab, mine, theirs, most[work.unit(lab)]) for lab, mine, theirs in found)


def _bar(lab: Lab, mine: float, theirs: float, most: float) -> LabBar:
    shares = (100 * rate / most if most else 0.0 for rate in (mine, theirs))
    return LabBar(lab.name, lab.title, work.unit(lab), mine, theirs, *shares)
