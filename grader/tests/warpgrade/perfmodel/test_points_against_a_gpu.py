"""Points from modelled times against points from an H200's times: right kernels in unlike styles.

The times are those of `grader/tests/gpu/session.py --only styles`, at the size that a GPU is timed with.
"""

from __future__ import annotations

import functools
import json
import statistics
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.hand_ins import styles
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, prepare
from warpgrade.judge.score import performance_points
from warpgrade.records import Lab

pytestmark = [pytest.mark.long, pytest.mark.exhaustive]  # about 50 kernels for one number

REPOSITORY = here()
TIMES = {
    row["label"]: row["milliseconds"]
    for row in json.loads(
        (REPOSITORY.root / "datasets/reference-timings/styles/h200.json").read_text(encoding="utf-8")
    )["timings"]
}
LABS = [item for item in lab.find(REPOSITORY) if item.name in TIMES]


@functools.cache
def points(name: str) -> dict[str, tuple[float, float]]:
    """For each kernel, the points from its modelled time and those from its measured one."""
    item = next(each for each in LABS if each.name == name)
    session = prepare(REPOSITORY, [item], Options("emulator"))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:

        def graded(kernel: styles.RightKernel) -> tuple[str, tuple[float, float]]:
            (prepared,) = session.prepared_labs
            result = pipeline.grade_one(kernel.submission, prepared, Path(folder) / kernel.label, session)
            assert result.score is not None, result.problem
            earned = next(part.earned for part in result.score.parts if part.kind == "performance")
            return kernel.label, (earned, measured_points(item, kernel.label))

        return dict(pool.map(graded, styles.kernels(REPOSITORY, item)))


def measured_points(item: Lab, label: str) -> float:
    return performance_points(TIMES[item.name] / TIMES[label], item.performance)


def ranks(values: Sequence[float]) -> list[float]:
    """From 0; equal values share the mean of their ranks."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2
        for value in values
    ]


@pytest.mark.parametrize("name", [item.name for item in LABS])
def test_the_ranks_agree(name: str) -> None:
    modelled, measured = zip(*points(name).values(), strict=True)
    assert len(modelled) >= 46
    assert statistics.correlation(ranks(modelled), ranks(measured)) >= 0.95


@pytest.mark.parametrize("name", [item.name for item in LABS])
def test_no_kernel_is_off_by_more_than_3_points(name: str) -> None:
    off = {label: round(one - other, 2) for label, (one, other) in points(name).items()}
    assert {label: points for label, points in off.items() if abs(points) > 3} == {}
