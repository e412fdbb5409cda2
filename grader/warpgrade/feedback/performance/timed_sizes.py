"""Names of the sizes at which a kernel was timed, without numbers that the course has drawn."""

from __future__ import annotations

from ...core import formatting
from ...course import draws
from ...records import Lab, PerformanceVerdict, SizeTime

_DRAWN = "drawn"


def named(lab: Lab, performance: PerformanceVerdict) -> tuple[tuple[str, SizeTime], ...]:
    """Each time with its size in words: "256 × 512", or "drawn × drawn × 5" where that is secret."""
    rows = lab.performance.drawn if performance.modelled else lab.performance.gpu_drawn
    if not rows or not draws.are_secret(lab):
        return tuple((formatting.size(time.size), time) for time in performance.sizes)
    if len(rows) != len(performance.sizes):
        return tuple((_DRAWN, time) for time in performance.sizes)
    words = (" × ".join(each if each.isdecimal() else _DRAWN for each in row) for row in rows)
    return tuple(zip(words, performance.sizes, strict=True))
