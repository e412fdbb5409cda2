"""Charts of speed: the roofline of a GPU, and the ladder of the labs' solutions on it.

Limits come from the GPU's file, measured times from datasets/reference-timings/ where that GPU has been
timed; without them the charts show limits only, and say so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ...core.errors import InstructorError
from ...core.messages import Messages
from ...core.paths import Repository, typed
from ...course import arithmetic
from ...drawing.bar_chart import Bar, BarChart, BarGroup
from ...drawing.figure import Table, figure, head
from ...drawing.roofline import Roof, RooflineChart, RooflineMark
from ...gpu import spec
from ...gpu.spec import GpuSpec


@dataclass(frozen=True)
class Measured:
    """The fastest measured size of a lab's solution, and the conditions in words."""

    gflops: float
    size: tuple[int, ...]
    device: str
    milliseconds: float


def measured(repository: Repository, gpu: GpuSpec) -> dict[str, Measured]:
    """Lab → measured times; empty if that GPU has not been timed. InstructorError if the file is broken."""
    file = repository.root / "datasets" / "reference-timings" / spec.file_name(gpu.name)
    if not file.is_file():
        return {}
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        found: dict[str, Measured] = {}
        for row in data["timings"]:
            size, device = tuple(map(int, row["size"])), str(data["conditions"]["gpu"])
            one = Measured(float(row["gflops"]), size, device, float(row["milliseconds"]))
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
    """The roofline of a GPU with the solutions' limits and their measured rates."""
    gpu, solutions = spec.load(repository, model), [Step(*step) for step in steps]
    roof, times = _roof(gpu), _measured_of(solutions, repository, gpu)
    marks = list(_marks(roof, solutions, times))
    x_title, y_title = words("figure.roofline.x"), words("figure.roofline.y")
    chart = RooflineChart(roof, marks, x_title, y_title, words.count)
    desc = words(
        "figure.roofline.desc",
        peak=words.count(roof.peak),
        bandwidth=words.count(roof.bandwidth),
        ridge=words.number(roof.ridge),
    )
    desc += " " + _about(words, gpu, times, "figure.roofline.measured")
    rows = tuple(
        (step.lab, words.number(step.intensity, 2), words.count(roof.limit(step.intensity)),
         words.count(times[step.lab].gflops) if step.lab in times else "–")
        for step in solutions
    )  # fmt: skip
    columns = head(words, "roofline", "lab", "intensity", "limit", "measured")
    table = Table(words("figure.roofline.table"), columns, rows)
    return figure(
        words, id, chart.size, words("figure.roofline.title", gpu=gpu.name), desc, chart.drawn(), table
    )


def reached(
    words: Messages,
    repository: Repository,
    *,
    model: str,
    kernels: Sequence[tuple[str, float, float]],
    id: str,
) -> Markup:
    """The roofline that L2 sets, and kernels below it: name, operations a byte, GFLOP/s."""
    gpu = spec.load(repository, model)
    roof = Roof(gpu.peak_gflops, gpu.l2_gigabytes_per_second)
    marks = [RooflineMark("limit", "circle", at, roof.limit(at)) for _, at, _ in kernels]
    marks += [RooflineMark("dot", "diamond", at, gflops, (name,)) for name, at, gflops in kernels]
    chart = RooflineChart(roof, marks, words("figure.reached.x"), words("figure.roofline.y"), words.count)
    desc = words(
        "figure.reached.desc",
        peak=words.count(roof.peak),
        bandwidth=words.count(roof.bandwidth),
        ridge=words.number(roof.ridge),
    )
    rows = tuple(
        (name, words.number(at, 2), words.count(roof.limit(at)), words.count(gflops))
        for name, at, gflops in kernels
    )
    table = Table(
        words("figure.reached.table"), head(words, "reached", "kernel", "intensity", "limit", "reached"), rows
    )
    title = words("figure.reached.title", gpu=gpu.name)
    return figure(words, id, chart.size, title, desc, chart.drawn(), table)


def _marks(roof: Roof, solutions: Sequence[Step], times: dict[str, Measured]) -> Iterator[RooflineMark]:
    """A circle for the solutions of one intensity, and a diamond for each that was measured."""
    for intensity in dict.fromkeys(step.intensity for step in solutions):
        labs = tuple(step.lab for step in solutions if step.intensity == intensity)
        yield RooflineMark("limit", "circle", intensity, roof.limit(intensity), labs)
        for lab in labs:
            if lab in times:
                yield RooflineMark("dot", "diamond", intensity, times[lab].gflops)


def ladder(
    words: Messages, repository: Repository, *, model: str, steps: Sequence[tuple[str, float]], id: str
) -> Markup:
    """Two bars for each lab: what its loads alone would allow, and what was measured."""
    gpu, solutions = spec.load(repository, model), [Step(*step) for step in steps]
    roof, times = _roof(gpu), _measured_of(solutions, repository, gpu)
    rows: list[tuple[str, ...]] = []
    groups: list[BarGroup] = []
    for step in solutions:
        limit, found = roof.limit(step.intensity), times.get(step.lab)
        bars = [Bar("outside", limit / roof.peak, words.count(limit))]
        cells = ("–", "–")
        if found is not None:
            bars.append(Bar("left", found.gflops / roof.peak, words.count(found.gflops)))
            cells = (words.count(found.gflops), words.number(100 * found.gflops / roof.peak))
        groups.append(BarGroup(step.lab, tuple(bars)))
        rows.append((step.lab, words.count(limit), *cells))
    chart = BarChart(groups, words("figure.implementations.roof", peak=words.count(roof.peak)))
    desc = words("figure.ladder.desc", peak=words.count(roof.peak))
    desc += " " + _about(words, gpu, times, "figure.ladder.measured")
    columns = head(words, "ladder", "lab", "limit", "measured", "share")
    table = Table(words("figure.ladder.table"), columns, tuple(rows))
    title = words("figure.ladder.title", gpu=gpu.name)
    return figure(words, id, chart.size, title, desc, chart.drawn(), table)


def _roof(gpu: GpuSpec) -> Roof:
    """The roof that the GPU's own memory sets."""
    return Roof(gpu.peak_gflops, gpu.memory_bytes_per_second / 1e9)


def _measured_of(solutions: Sequence[Step], repository: Repository, gpu: GpuSpec) -> dict[str, Measured]:
    """The measured times of the labs that a chart shows."""
    shown = {step.lab for step in solutions}
    return {lab: one for lab, one in measured(repository, gpu).items() if lab in shown}


def _about(words: Messages, gpu: GpuSpec, times: dict[str, Measured], key: str) -> str:
    if not times:
        return words("figure.roofline.unmeasured", gpu=gpu.name)
    sizes = [" × ".join(map(str, size)) for size in sorted({each.size for each in times.values()})]
    device = next(iter(times.values())).device
    return words(key, gpu=device, sizes=", ".join(sizes))
