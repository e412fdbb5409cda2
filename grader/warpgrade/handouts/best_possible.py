"""What a lab's timed size takes at least on the course's GPU, and what share of that the solution reaches.

The least time is that of the roofline: bytes by the memory's bandwidth or operations by the GPU's peak,
whichever takes longer.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..core.messages import Messages
from ..course import work
from ..gpu.spec import GpuSpec
from ..records import Lab, Size
from .figures.roofline_chart import Measured


def sentences(lab: Lab, words: Messages, gpu: GpuSpec, times: Mapping[str, Measured]) -> str:
    """`times`: of the labs' solutions on that GPU, by lab."""
    size = work.whole(lab)
    amount = work.of(lab, size)
    peak = gpu.peak_gflops_of(amount.tensor_cores)
    seconds = max(amount.bytes / gpu.memory_bytes_per_second, amount.flops / (peak * 1e9))
    found = [
        words(
            "best.least" if amount.flops else "best.least-moved",
            size=_named(lab, words, size),
            operations=words.count(amount.flops),
            megabytes=words.number(amount.bytes / 1e6),
            gpu=gpu.name,
            milliseconds=words.number(1e3 * seconds, 4),
            rate=words.number(work.rate(lab, size, 1e3 * seconds)),
            unit=work.unit(lab),
        )
    ]
    own = times.get(lab.name)
    if own and own.size == size:
        found.append(
            words(
                "best.measured",
                gpu=own.device,
                milliseconds=words.number(own.milliseconds, 4),
                rate=words.number(work.rate(lab, size, own.milliseconds)),
                unit=work.unit(lab),
                share=words.number(1e5 * seconds / own.milliseconds, 0),
            )
        )
    return " ".join(found)


def _named(lab: Lab, words: Messages, size: Size) -> str:
    pairs = zip(lab.parameter_names, size, strict=True)
    return ", ".join(f"{name} = {words.count(value)}" for name, value in pairs)
