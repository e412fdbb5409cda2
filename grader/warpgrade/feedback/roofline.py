"""Speed on a student's page: the roofline of one kernel and its reference, and the ladder of labs.

The roofline is that of L2: bytes are those that the launch asked of L2 (sectors of 32 bytes), the slope is
L2's bandwidth, the flat part the card's float32 peak. Times are modelled or measured, as the verdict says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..core.hardware import SECTOR
from ..gpu.spec import GpuSpec
from ..records import Lab, Launch, Result, Size, SizeTime
from .comparisons import compared_launches
from .disclosure import TIMED

_SECTORS = (
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
)
Scale = Callable[[float], float]
_LABELS = 9  # numbers that fit below the picture
_LEFT, _TOP, _WIDE, _HIGH = 58.0, 18.0, 420.0, 200.0


@dataclass(frozen=True)
class Point:
    """A kernel under the roof."""

    name: str
    intensity: float  # operations for each byte asked of L2
    gflops: float
    share: float  # of what the roof allows at this intensity


@dataclass(frozen=True)
class Roofline:
    svg: Markup
    points: tuple[Point, ...]
    words: str


@dataclass(frozen=True)
class Rung:
    """One lab on the ladder, in GFLOP/s."""

    lab: str
    title: str
    student: float
    reference: float
    full: float  # percent of the longest bar
    mark: float  # where the reference stands, in percent


# --- roofline ----------------------------------------------------------------------------------


def roofline(lab: Lab, result: Result, card: GpuSpec | None, id: str) -> Roofline | None:
    """None where the kernel was not timed or its counters say nothing."""
    student, reference = compared_launches(lab, result)
    time = _time_of(result, student)
    if card is None or student is None or time is None:
        return None
    peak = 2 * card.fp32_lanes * card.sm_count * card.clock_hz / 1e9
    bandwidth = card.l2_bytes * card.sm_count * card.clock_hz / 1e9
    points = [
        _point(name, launch, time.size, milliseconds, peak, bandwidth)
        for name, launch, milliseconds in (
            ("yours", student, time.student_ms), ("reference", reference, time.reference_ms))
        if launch is not None and _bytes(launch) and milliseconds > 0
    ]  # fmt: skip
    if not points or points[0].name != "yours":
        return None
    mine = points[0]
    side = "L2's bandwidth" if mine.intensity < peak / bandwidth else "arithmetic"
    words = (
        f"Your kernel makes {mine.intensity:.2g} operations for each byte that it asks of L2. At that "
        f"intensity the {card.name} is limited by {side}, to {min(peak, bandwidth * mine.intensity):,.0f} "
        f"GFLOP/s; yours reaches {mine.gflops:,.0f}."
    )
    return Roofline(_drawn(points, peak, bandwidth, card.name, words, id), tuple(points), words)


def _time_of(result: Result, launch: Launch | None) -> SizeTime | None:
    performance = result.judgement.performance if result.judgement else None
    if launch is None or performance is None or not launch.label.startswith(TIMED):
        return None
    wanted = launch.label.split("/")[1]
    return next((time for time in performance.sizes if "x".join(map(str, time.size)) == wanted), None)


def _bytes(launch: Launch) -> int:
    return SECTOR * sum(launch.counters.get(name, 0) for name in _SECTORS)


def _point(name: str, launch: Launch, size: Size, ms: float, peak: float, bandwidth: float) -> Point:
    operations = 2.0 * math.prod(size)
    intensity = operations / _bytes(launch)
    gflops = operations / (ms * 1e6)
    return Point(name, intensity, gflops, gflops / min(peak, bandwidth * intensity))


def _drawn(points: Sequence[Point], peak: float, bandwidth: float, card: str, words: str, id: str) -> Markup:
    ridge = peak / bandwidth
    low = math.floor(math.log2(min(ridge, *(point.intensity for point in points)))) - 1
    high = math.ceil(math.log2(max(ridge, *(point.intensity for point in points)))) + 1
    top = math.log10(peak) + 0.15
    bottom = math.log10(min(bandwidth * 2.0**low, *(point.gflops for point in points))) - 0.15

    def x(intensity: float) -> float:
        return round(_LEFT + (math.log2(intensity) - low) / (high - low) * _WIDE, 1)

    def y(gflops: float) -> float:
        return round(_TOP + (top - math.log10(gflops)) / (top - bottom) * _HIGH, 1)

    body = Markup("").join(_grid(low, high, bottom, top, x, y))
    body += Markup('<path class="roof" d="M{} {}L{} {}H{}"/>').format(
        x(2.0**low), y(bandwidth * 2.0**low), x(ridge), y(peak), x(2.0**high)
    )
    for point in points:
        at = x(point.intensity), y(point.gflops)
        if point.name == "yours":
            body += Markup('<circle class="mine" cx="{}" cy="{}" r="6"/>').format(*at)
        else:
            body += Markup('<path class="theirs" d="M{} {}l6 6l-6 6l-6-6z"/>').format(at[0], at[1] - 6)
    width, height = _LEFT + _WIDE + 12, _TOP + _HIGH + 40
    return Markup(
        '<svg class="roofline" role="img" aria-labelledby="{0}-t {0}-d" viewBox="0 0 {1:.0f} {2:.0f}" '
        'width="{1:.0f}" height="{2:.0f}"><title id="{0}-t">Roofline of {3}</title>'
        '<desc id="{0}-d">{4}</desc>{5}</svg>'
    ).format(id, width, height, card, words, body)


def _grid(low: int, high: int, bottom: float, top: float, x: Scale, y: Scale) -> Iterator[Markup]:
    for power in range(low, high + 1):
        at = x(2.0**power)
        yield Markup('<path class="grid" d="M{} {}V{}"/>').format(at, _TOP, _TOP + _HIGH)
        label = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        yield Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(
            at, _TOP + _HIGH + 15, label
        )
    for value in _round_numbers(bottom, top):
        at = y(value)
        yield Markup('<path class="grid" d="M{} {}H{}"/>').format(_LEFT, at, _LEFT + _WIDE)
        yield Markup('<text x="{}" y="{}" text-anchor="end">{}</text>').format(
            _LEFT - 6, at + 4, f"{value:,.0f}" if value >= 1 else f"{value:g}"
        )
    yield Markup('<text x="{}" y="{}">GFLOP/s</text>').format(4, 11)
    yield Markup('<text x="{}" y="{}" text-anchor="middle">operations a byte</text>').format(
        _LEFT + _WIDE / 2, _TOP + _HIGH + 33
    )


def _round_numbers(bottom: float, top: float) -> list[float]:
    """1, 2, 5, 10, … within these powers of ten; the powers alone where that would be too many."""
    powers = range(math.floor(bottom), math.ceil(top) + 1)
    steps = (1, 2, 5) if top - bottom < 2.5 else (1,)
    return [
        step * 10.0**power for power in powers for step in steps if bottom <= math.log10(step) + power <= top
    ]


# --- ladder ------------------------------------------------------------------------------------


def ladder(labs: Sequence[tuple[Lab, Result]]) -> tuple[Rung, ...]:
    """The labs that were timed; none where fewer than two were, as one rung is no ladder."""
    found = []
    for lab, result in labs:
        performance = result.judgement.performance if result.judgement else None
        if performance is not None and performance.sizes:
            time = max(performance.sizes, key=lambda each: math.prod(each.size))
            found.append((lab, _gflops(time.size, time.student_ms), _gflops(time.size, time.reference_ms)))
    if len(found) < 2:
        return ()
    most = max(max(mine, theirs) for _, mine, theirs in found)
    return tuple(
        Rung(lab.name, lab.title, mine, theirs, 100 * mine / most, 100 * theirs / most)
        for lab, mine, theirs in found
    )


def _gflops(size: Size, milliseconds: float) -> float:
    return 2.0 * math.prod(size) / (milliseconds * 1e6) if milliseconds > 0 else 0.0
