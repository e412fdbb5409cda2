"""Constants of the model of time are found again from times that were made with them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.core.paths import Repository
from warpgrade.core.serialize import from_data
from warpgrade.gpu import spec
from warpgrade.gpu.occupancy import theoretical
from warpgrade.perfmodel import fitting, model
from warpgrade.perfmodel.fitting import TimedLaunch
from warpgrade.records import Launch

H200 = spec.load(Repository(Path(__file__).resolve().parents[4]), "h200")
OTHERS = {"overlap": 8.0, "waiting_overlap": 4.0, "blocks_overlap": 0.4, "few_warps": 0.5, "last_round": 0.3}


def timed() -> list[TimedLaunch]:
    """Every third measured launch: as many as one sum of errors needs, since each is modelled 500 times."""
    found = []
    for name in ("unseen.json", "small.json"):
        for row in json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8")):
            launch = from_data(Launch, row["launch"])
            shared = row["shared_bytes"] + launch.dynamic_shared
            held = theoretical(H200.limits, "9.0", math.prod(launch.block), row["registers"], shared)
            found.append(TimedLaunch(launch, row["once"], held, row["milliseconds"]))
    return found[::3]


def test_times_of_other_constants_are_met() -> None:
    other = fitting.with_constants(H200, OTHERS)
    made = [
        replace(
            each,
            milliseconds=model.time_of(
                each.launch, each.once, other, each.occupancy, alone=True
            ).milliseconds,
        )
        for each in timed()
    ]
    assert fitting.mean_error(made, H200) > 0.05
    found = fitting.fit(made, H200)
    assert fitting.mean_error(made, fitting.with_constants(H200, found)) < 0.02
    assert found["waiting_overlap"] == pytest.approx(OTHERS["waiting_overlap"], rel=0.15)


def test_from_other_constants_the_measured_times_are_met_as_well_as_by_those_of_the_data_sheet() -> None:
    measured = timed()
    far = fitting.with_constants(H200, OTHERS)
    found = fitting.fit(measured, far)
    error = fitting.mean_error(measured, fitting.with_constants(H200, found))
    assert fitting.mean_error(measured, far) > 0.08
    assert error < fitting.mean_error(measured, H200) + 0.002
    assert found["reached"] <= 1
