"""The ladder as a picture: what each way to compute one product reaches, and its share of the roof."""

from __future__ import annotations

from markupsafe import Markup

from ...core.messages import Messages
from ...core.paths import Repository
from ...drawing.bar_chart import Bar, BarChart, BarGroup
from ...drawing.figure import Table, figure, head
from ...gpu import ladder_file, spec
from ...gpu.ladder_file import Ladder, LadderTiming

# Steps of an open lab show how its solution is made: they are for course staff only.
_STEP_LEVELS = ("-O0", "-O1", "-O2", "-O3")


def implementations(words: Messages, repository: Repository, *, model: str, id: str) -> Markup:
    """One bar for each implementation at the ladder's first size, the slowest first."""
    gpu = spec.load(repository, model)
    found = ladder_file.load(repository, gpu.name)
    shown = _shown(found) if found else []
    rows = tuple(
        (_name(words, timing), words.number(timing.milliseconds, 3), _speed(words, timing),
         words.number(100 * timing.gflops / gpu.peak_gflops, 1))
        for timing in shown
    )  # fmt: skip
    groups = [
        BarGroup(_name(words, timing), (Bar("left", timing.gflops / gpu.peak_gflops, _speed(words, timing)),))
        for timing in shown
    ]
    chart = BarChart(groups, words("figure.implementations.roof", peak=words.count(gpu.peak_gflops)))
    columns = head(words, "implementations", "way", "time", "gflops", "share")
    table = Table(words("figure.implementations.table"), columns, rows)
    title = words("figure.implementations.title", gpu=gpu.name)
    return figure(words, id, chart.size, title, _about(words, gpu.name, found), chart.drawn(), table)


def _shown(found: Ladder) -> list[LadderTiming]:
    first = found.timings[0].size
    whole = [
        timing for timing in found.timings if timing.size == first and not timing.label.endswith(_STEP_LEVELS)
    ]
    return sorted(whole, key=lambda timing: timing.gflops)


def _name(words: Messages, timing: LadderTiming) -> str:
    return words("figure.implementations.loop") if timing.label == "CPU, triple loop" else timing.label


def _speed(words: Messages, timing: LadderTiming) -> str:
    return words.count(timing.gflops) if timing.gflops >= 10 else words.number(timing.gflops, 2)


def _about(words: Messages, name: str, found: Ladder | None) -> str:
    if found is None:
        return words("figure.implementations.unmeasured", gpu=name)
    about = found.conditions
    size = " × ".join(map(str, found.timings[0].size))
    return words(
        "figure.implementations.desc", gpu=about["gpu"], cpu=about["cpu"], size=size, toolkit=about["toolkit"]
    )
