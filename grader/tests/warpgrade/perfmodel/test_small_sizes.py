"""The model of time where few blocks meet many SMs: products of 512³ to 2048³, as an H200 measured them.

Counters come from eight blocks of each launch, as `warpgrade model` counts them. Twelve kernels are a public
series (siboehm/SGEMM_CUDA, 1 to 12), twenty are ours (grader/tests/gpu/model/: products.cu, course.cu).
"""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any

import pytest

from warpgrade.core.paths import Repository
from warpgrade.core.serialize import from_data
from warpgrade.gpu import spec
from warpgrade.gpu.occupancy import theoretical
from warpgrade.perfmodel import model
from warpgrade.records import Launch

H200 = spec.load(Repository(Path(__file__).resolve().parents[4]), "h200")
ROWS = json.loads(Path(__file__).with_name("small.json").read_text(encoding="utf-8"))
SIDES = (512, 1024, 2048)
# Lab 04's solution and its styles: predictions that were committed before these times were read.
STYLES = json.loads(Path(__file__).with_name("styles-small.json").read_text(encoding="utf-8"))
BLIND = Path(__file__).with_name("styles-blind.tsv").read_text(encoding="utf-8").splitlines()


def modelled(row: dict[str, Any]) -> float:
    launch = from_data(Launch, row["launch"])
    shared = row["shared_bytes"] + launch.dynamic_shared
    held = theoretical(H200.limits, "9.0", math.prod(launch.block), row["registers"], shared)
    return model.time_of(launch, row["once"], H200, held, alone=True).milliseconds


def of(side: int, whose: str = "") -> list[dict[str, Any]]:
    return [row for row in ROWS if row["side"] == side and whose in ("", row["of"])]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("whose", "count"), [("series", 12), ("ours", 20)])
def test_the_mean_error_is_at_most_a_tenth(side: int, whose: str, count: int) -> None:
    rows = of(side, whose)
    assert len(rows) == count
    assert statistics.mean(abs(modelled(row) / row["milliseconds"] - 1) for row in rows) <= 0.10


@pytest.mark.parametrize("side", SIDES)
def test_the_ranks_agree(side: int) -> None:
    rows = of(side)
    measured, expected = [row["milliseconds"] for row in rows], [modelled(row) for row in rows]
    assert statistics.correlation(ranks(measured), ranks(expected)) >= 0.97


def ranks(values: list[float]) -> list[int]:
    return [sum(other < value for other in values) for value in values]


@pytest.mark.parametrize("side", SIDES)
def test_the_blind_prediction_was_within_a_tenth_on_average(side: int) -> None:
    measured = {row["label"]: row["milliseconds"] for row in STYLES if row["side"] == side}
    found = [line.split("\t") for line in BLIND if not line.startswith("#")]
    blind = {label: float(time) for label, at, time in found if int(at) == side}
    assert set(blind) == set(measured) and len(blind) >= 56
    assert statistics.mean(abs(blind[label] / measured[label] - 1) for label in blind) <= 0.10
