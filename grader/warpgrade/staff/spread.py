"""How far the points of one submission differ between gradings on a GPU."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.errors import GraderError
from ..grading.session import PreparedLab, Session
from ..records import Lab, Size
from ..run import harness
from ..run.harness import HarnessJob
from ..run.timed_launch import size_name
from ..submission.admit import from_file


@dataclass(frozen=True)
class Spread:
    """Points of one submission at one size in repeated gradings, not clamped to 0 and the maximum."""

    lab: str
    size: Size
    points: tuple[float, ...]
    ratios: tuple[float, ...]

    @property
    def whole(self) -> float:
        return max(self.points) - min(self.points)

    @property
    def middle_half(self) -> float:
        low, _, high = statistics.quantiles(self.points, n=4)
        return high - low


def points_of(ratio: float, lab: Lab) -> float:
    """Points as in judge/score.py, but not clamped at `none` and `full`, which would hide differences."""
    performance = lab.performance
    span = math.log(performance.full / performance.none)
    return performance.points * math.log(ratio / performance.none) / span


def measure(
    prepared: PreparedLab, job: HarnessJob, sizes: Sequence[Size], times: int, session: Session
) -> tuple[Spread, ...]:
    """Time `job`'s kernel against the reference in `times` processes. GraderError if one fails."""
    ratios: dict[Size, list[float]] = {size: [] for size in sizes}
    named = ",".join(map(size_name, sizes))
    lab = prepared.lab
    source = from_file(session.repository.solution(lab.name) / lab.files[0], lab, "reference")
    for turn in range(times):
        arguments = ("--mode", "time", "--seed", str(turn + 1), "--sizes", named)
        one = HarnessJob(lab, job.fatbin, prepared.data, arguments, "gpu", job.gpu, reference=job.reference)
        report = harness.start(one, session.runner, source)
        for timing in report.timings:
            if timing.ratio is None:
                raise GraderError(f"{lab.name} {size_name(timing.size)}: {timing.error or timing.checked}")
            ratios[timing.size].append(timing.ratio)
    return tuple(
        Spread(lab.name, size, tuple(points_of(ratio, lab) for ratio in found), tuple(found))
        for size, found in ratios.items()
    )
