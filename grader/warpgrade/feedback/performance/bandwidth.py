"""The rate of a kernel whose lab counts bytes, as a share of the best possible.

The bytes are the least that the lab's [work] names. The best possible rate is the bandwidth of the GPU's own
memory. Times are modelled or measured, as the verdict says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ...course import work
from ...drawing.bar_chart import Bar, BarChart, BarGroup
from ...drawing.figure import svg
from ...gpu.spec import GpuSpec
from ...records import Lab, Result, SizeTime
from ..comparisons import Whose


@dataclass(frozen=True)
class Rate:
    """The rate at which one kernel moves the bytes that count."""

    name: Whose
    gigabytes: float  # a second
    share: float  # of the memory's bandwidth


@dataclass(frozen=True)
class Bandwidth:
    svg: Markup
    rates: tuple[Rate, ...]
    words: str


def bandwidth(lab: Lab, result: Result, gpu: GpuSpec | None, id: str) -> Bandwidth | None:
    """The bandwidth at the largest timed size. None if the lab counts operations or nothing was timed."""
    performance = result.judgement.performance if result.judgement else None
    if gpu is None or lab.work.rate == work.FLOPS or performance is None or not performance.sizes:
        return None
    time = max(performance.sizes, key=lambda each: work.of(lab, each.size).counted)
    rates = tuple(_rates(lab, time, gpu))
    if not rates or rates[0].name is not Whose.YOURS:
        return None
    most, words = gpu.memory_bytes_per_second / 1e9, _words(rates[0], gpu)
    groups = [BarGroup(rate.name, (_bar(rate),)) for rate in rates]
    chart = BarChart(groups, f"{most:,.0f} GB/s")
    title = f"Share of the bandwidth of {gpu.name}"
    return Bandwidth(svg(id, chart.size, title, words, chart.drawn(), kind="roofline"), rates, words)


def _rates(lab: Lab, time: SizeTime, gpu: GpuSpec) -> Sequence[Rate]:
    both = ((Whose.YOURS, time.student_ms), (Whose.REFERENCE, time.reference_ms))
    found = [(name, work.rate(lab, time.size, milliseconds)) for name, milliseconds in both]
    return [Rate(name, rate, rate * 1e9 / gpu.memory_bytes_per_second) for name, rate in found if rate > 0]


def _bar(rate: Rate) -> Bar:
    """A share above 1 ends at the axis: such data lie in a cache."""
    return Bar(
        "mine" if rate.name is Whose.YOURS else "theirs", min(1.0, rate.share), f"{rate.gigabytes:,.0f} GB/s"
    )


def _words(rate: Rate, gpu: GpuSpec) -> str:
    most = gpu.memory_bytes_per_second / 1e9
    words = (
        f"Counting only the bytes that must be moved, your kernel reaches {rate.gigabytes:,.0f} GB/s. "
        f"That is {100 * rate.share:.0f} % of the best possible, the {most:,.0f} GB/s of {gpu.name}."
    )
    return words if rate.share <= 1 else f"{words} More than 100 % is possible where a cache holds the data."
