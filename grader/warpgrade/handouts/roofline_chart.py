"""Charts of speed: the roofline of a GPU, and the ladder of the labs' solutions on it.

Limits come from the GPU's file, measured times from datasets/reference-timings/ where that GPU has been
timed; without them the charts show limits only, and say so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..core.errors import InstructorError
from ..core.messages import Messages
from ..core.paths import Repository, typed
from ..course import arithmetic
from ..drawing.figure import Table, figure, head, rectangle, short
from ..gpu import spec
from ..gpu.spec import GpuSpec

_LEFT, _TOP, _WIDE, _HIGH = 62.0, 20.0, 500.0, 270.0
_BAR = 34.0


@dataclass(frozen=True)
class Measured:
    """The fastest measured size of a lab's solution, and the conditions in words."""

    gflops: float
    size: tuple[int, int, int]
    device: str


def measured(repository: Repository, card: GpuSpec) -> dict[str, Measured]:
    """By lab; empty where that GPU has not been timed. InstructorError where the file is broken."""
    file = repository.root / "datasets" / "reference-timings" / spec.file_name(card.name)
    if not file.is_file():
        return {}
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        found: dict[str, Measured] = {}
        for row in data["timings"]:
            m, n, k = row["size"]
            one = Measured(float(row["gflops"]), (m, n, k), str(data["conditions"]["gpu"]))
            if row["lab"] not in found or found[row["lab"]].gflops < one.gflops:
                found[row["lab"]] = one
        return found
    except (ValueError, KeyError, TypeError) as error:
        raise InstructorError(
            f"cannot be read: {error}", file=file, remedy=f"{typed('calibrate')} on that GPU"
        ) from None


@dataclass(frozen=True)
class Step:
    """A lab's solution: how many operations it makes for each float that it loads."""

    lab: str
    operations_per_load: float

    @property
    def intensity(self) -> float:
        """Operations for each byte."""
        return self.operations_per_load / arithmetic.FLOAT_BYTES


def roofline(
    words: Messages, repository: Repository, *, model: str, steps: Sequence[tuple[str, float]], id: str
) -> Markup:
    """What a GPU allows at each intensity, the solutions' places under it, and what was measured."""
    card, ladder_ = spec.load(repository, model), [Step(*step) for step in steps]
    plot = _RooflineScale(_peak(card), card.memory_bytes_per_second / 1e9, ladder_)
    times = measured(repository, card)
    title = words("figure.roofline.title", gpu=card.name)
    desc = words(
        "figure.roofline.desc",
        peak=words.count(plot.peak),
        bandwidth=words.count(plot.bandwidth),
        ridge=words.number(plot.ridge),
    )
    desc += " " + _about(words, card, times, "figure.roofline.measured")
    rows = tuple(
        (step.lab, words.number(step.intensity, 2), words.count(plot.limit(step.intensity)),
         words.count(times[step.lab].gflops) if step.lab in times else "–")
        for step in ladder_
    )  # fmt: skip
    table = Table(
        words("figure.roofline.table"),
        head(words, "roofline", "lab", "intensity", "limit", "measured"),
        rows,
    )
    size = (_LEFT + _WIDE + 90, _TOP + _HIGH + 52)
    return figure(words, id, size, title, desc, plot.drawn(words, times), table)


def ladder(
    words: Messages, repository: Repository, *, model: str, steps: Sequence[tuple[str, float]], id: str
) -> Markup:
    """One bar for each lab: what its traffic alone would allow, and what was measured."""
    card, ladder_ = spec.load(repository, model), [Step(*step) for step in steps]
    peak, bandwidth = _peak(card), card.memory_bytes_per_second / 1e9
    times = measured(repository, card)
    rows: list[tuple[str, ...]] = []
    drawn: list[Markup] = []
    for at, step in enumerate(ladder_):
        limit = min(peak, bandwidth * step.intensity)
        real = times.get(step.lab)
        drawn += _bars(words, at, step.lab, limit / peak, real.gflops / peak if real else None, limit, real)
        share = words.number(100 * real.gflops / peak) if real else "–"
        rows.append((step.lab, words.count(limit), words.count(real.gflops) if real else "–", share))
    title = words("figure.ladder.title", gpu=card.name)
    desc = (
        words("figure.ladder.desc", peak=words.count(peak))
        + " "
        + _about(words, card, times, "figure.ladder.measured")
    )
    columns = head(words, "ladder", "lab", "limit", "measured", "share")
    size = (_LEFT + 100 + _WIDE, _TOP + len(ladder_) * 2 * _BAR)
    return figure(
        words, id, size, title, desc, drawn, Table(words("figure.ladder.table"), columns, tuple(rows))
    )


def _peak(card: GpuSpec) -> float:
    return arithmetic.peak_gflops(card.sm_count, int(card.fp32_lanes), card.clock_hz / 1e9)


def _about(words: Messages, card: GpuSpec, times: dict[str, Measured], key: str) -> str:
    if not times:
        return words("figure.roofline.unmeasured", gpu=card.name)
    sizes = sorted({" × ".join(map(str, each.size)) for each in times.values()})
    device = next(iter(times.values())).device
    return words(key, gpu=device, sizes=", ".join(sizes))


def _bars(
    words: Messages,
    at: int,
    lab: str,
    limit: float,
    real: float | None,
    allowed: float,
    found: Measured | None,
) -> Iterable[Markup]:
    y, left = _TOP + at * 2 * _BAR, _LEFT + 90
    yield _label(left - 8, y + 17, lab, "end")
    yield rectangle(left, y, max(1, limit * (_WIDE - 110)), 12, "outside")
    if real is not None and found is not None:
        yield rectangle(left, y + 14, max(1, real * (_WIDE - 110)), 12, "left")
        yield _label(left + max(1, real * (_WIDE - 110)) + 6, y + 24, words.count(found.gflops), "start")
    yield _label(left + max(1, limit * (_WIDE - 110)) + 6, y + 10, words.count(allowed), "start")


@dataclass(frozen=True)
class _RooflineScale:
    peak: float
    bandwidth: float  # GB/s
    steps: Sequence[Step]

    @property
    def ridge(self) -> float:
        """Operations a byte from which memory no longer limits."""
        return self.peak / self.bandwidth

    def limit(self, intensity: float) -> float:
        return min(self.peak, self.bandwidth * intensity)

    @property
    def span(self) -> tuple[int, int, int, int]:
        """Powers of ten: intensity from and to, GFLOP/s from and to."""
        places = [step.intensity for step in self.steps] + [self.ridge]
        lowest = min(places)
        return (
            math.floor(math.log10(lowest)),
            math.ceil(math.log10(max(places))),
            math.floor(math.log10(self.limit(10 ** math.floor(math.log10(lowest))))),
            math.ceil(math.log10(self.peak)),
        )

    def x(self, intensity: float) -> float:
        first, last, _, _ = self.span
        return _LEFT + (math.log10(intensity) - first) / (last - first) * _WIDE

    def y(self, gflops: float) -> float:
        _, _, first, last = self.span
        return _TOP + _HIGH - (math.log10(gflops) - first) / (last - first) * _HIGH

    def drawn(self, words: Messages, times: dict[str, Measured]) -> Iterable[Markup]:
        first, last, low, high = self.span
        for power in range(first, last + 1):
            x = self.x(10.0**power)
            yield _line("grid", f"M{short(x)} {short(_TOP)}V{short(_TOP + _HIGH)}")
            yield _label(x, _TOP + _HIGH + 16, words.number(10.0**power, max(0, -power)))
        for power in range(low, high + 1):
            y = self.y(10.0**power)
            yield _line("grid", f"M{short(_LEFT)} {short(y)}H{short(_LEFT + _WIDE)}")
            yield _label(_LEFT - 6, y + 4, words.count(10.0**power), "end")
        begin, corner, end = 10.0**first, self.ridge, 10.0**last
        points = [(begin, self.limit(begin)), (corner, self.peak), (end, self.peak)]
        path = "L".join(f"{short(self.x(a))} {short(self.y(b))}" for a, b in points)
        yield _line("roof", f"M{path}")
        yield _label(_LEFT + _WIDE / 2, _TOP + _HIGH + 38, words("figure.roofline.x"))
        yield _label(_LEFT, _TOP - 7, words("figure.roofline.y"), "start")
        for intensity in dict.fromkeys(step.intensity for step in self.steps):
            together = [step.lab for step in self.steps if step.intensity == intensity]
            yield from self._place(intensity, together, times)

    def _place(self, intensity: float, labs: Sequence[str], times: dict[str, Measured]) -> Iterable[Markup]:
        """One circle for the solutions of one intensity, and a diamond for each that was measured."""
        x, y = self.x(intensity), self.y(self.limit(intensity))
        yield Markup('<circle class="limit" cx="{}" cy="{}" r="5"/>').format(short(x), short(y))
        for line, lab in enumerate(labs):
            yield _label(x + 9, y + 16 + 14 * line, lab, "start")
        for lab in labs:
            if lab in times:
                at = self.y(times[lab].gflops)
                yield Markup('<path class="dot" d="M{} {}l6 6l-6 6l-6-6z"/>').format(short(x), short(at - 6))


def _line(kind: str, path: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(kind, path)


def _label(x: float, y: float, text: str, anchor: str = "middle") -> Markup:
    return Markup('<text class="lane-number" x="{}" y="{}" text-anchor="{}">{}</text>').format(
        short(x), short(y), anchor, text
    )
