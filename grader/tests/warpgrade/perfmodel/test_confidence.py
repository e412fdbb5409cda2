"""Confidence beside a prediction: what no card was compared with is named."""

from __future__ import annotations

import json
import math
import statistics
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.core.paths import Repository
from warpgrade.core.serialize import from_data
from warpgrade.gpu import spec
from warpgrade.gpu.occupancy import theoretical
from warpgrade.perfmodel import confidence, model
from warpgrade.records import Launch

REPOSITORY = Repository(Path(__file__).resolve().parents[4])
H200 = spec.load(REPOSITORY, "h200")
ROWS = [
    row
    for name in (
        "unseen.json",
        "small.json",
        "tensor.json",
        "course.json",
        "practice.json",
        "homework.json",
        "exam.json",
        "resit.json",
        "retake.json",
        "appeal.json",
        "finals.json",
        "encore.json",
        "tutorial.json",
        "workshop.json",
        "seminar.json",
        "colloquium.json",
        "viva.json",
        "oral.json",
    )
    for row in json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
]
# What bounded each kernel, as it was predicted by models that simulated how instructions are issued.
BOUNDS = {
    (blind.name.split("-")[0], line.split("\t")[0]): line.split("\t")[-1]
    for blind in (Path(__file__).parents[2] / "gpu" / "model").glob("*-blind.tsv")
    if blind.name.split("-")[0] not in ("course", "practice", "homework", "exam")
    for line in blind.read_text(encoding="utf-8").splitlines()
}
LAUNCHES = [from_data(Launch, row["launch"]) for row in ROWS]


def times() -> list[model.ModelledTime]:
    found = []
    for row, launch in zip(ROWS, LAUNCHES, strict=True):
        shared = row["shared_bytes"] + launch.dynamic_shared
        held = theoretical(H200.limits, "9.0", math.prod(launch.block), row["registers"], shared)
        found.append(model.time_of(launch, row["once"], H200, held, alone=True))
    return found


def test_the_data_sheet_names_what_the_compared_kernels_executed() -> None:
    mixes = [launch.mix for launch in LAUNCHES if launch.mix]
    assert {kind for mix in mixes for kind, times in mix.by_kind.items() if times > 0} == H200.fitted.kinds


def test_the_errors_of_the_data_sheet_are_not_better_than_those_of_the_kernels() -> None:
    """As each kernel was predicted before it was measured, and as it is today: what the model says today it
    may have learnt from the kernel. Those that are predicted with a doubt are left out of the first."""
    blind, today = defaultdict(list), defaultdict(list)
    for row, launch, time in zip(ROWS, LAUNCHES, times(), strict=True):
        like = confidence.compared_with(launch, time)
        today[like].append(abs(time.milliseconds / row["milliseconds"] - 1))
        was = BOUNDS.get((row["of"], row.get("label")))
        if was and not confidence.doubts(launch, H200):
            like = like if like != time.bound else was
            blind[like].append(abs(row["blind"] / row["milliseconds"] - 1))
    for bound, error in H200.fitted.mean_error.items():
        assert len(today[bound]) > 1
        of_both = max(statistics.mean(found[bound]) for found in (blind, today) if found[bound])
        assert error - 0.02 < of_both <= error, (bound, of_both)


def test_a_compared_kind_of_kernel_has_an_error_and_others_have_doubts() -> None:
    time = next(time for time in times() if time.bound == "shared memory")
    launch = LAUNCHES[0]
    assert launch.mix is not None
    error = f"{H200.fitted.mean_error['shared memory']:.0%}"
    assert confidence.sentence(launch, time, H200).startswith(f"confidence: ±{error}, ")
    kind = "of a later GPU"
    unlike = replace(launch, mix=replace(launch.mix, by_kind=launch.mix.by_kind | {kind: 1.0}))
    assert kind in confidence.sentence(unlike, time, H200)
    assert confidence.typical_error(unlike, time, H200) is None
    assert "no machine code" in confidence.sentence(replace(launch, mix=None), time, H200)


def test_kernels_that_count_in_shared_memory_are_compared_with_their_like() -> None:
    found = {
        str(row.get("label") or row["launch"]["kernel"])
        for row, launch, time in zip(ROWS, LAUNCHES, times(), strict=True)
        if "that use atomics in shared memory" in confidence.sentence(launch, time, H200)
    }
    assert {"bytes_counted", "counts_of_warps"} <= found
    assert not {"generations", "butterflies", "copied_ahead"} & found


def test_kernels_on_tensor_cores_are_compared_with_their_like() -> None:
    found = [
        confidence.sentence(launch, time, H200)
        for row, launch, time in zip(ROWS, LAUNCHES, times(), strict=True)
        if row["of"] == "tensor"
    ]
    assert len(found) == 10
    error = f"{H200.fitted.mean_error['tensor cores']:.0%}"
    said = f"confidence: ±{error}, the mean error of kernels that use tensor cores, "
    assert set(found) == {said + "predicted before they were measured"}


@pytest.mark.parametrize("card", ["t4", "a100", "rtx4090"])
def test_a_data_sheet_without_fitted_constants_says_so(card: str) -> None:
    gpu = spec.load(REPOSITORY, card)
    assert "another GPU, NVIDIA H200" in confidence.sentence(LAUNCHES[0], times()[0], gpu)


def test_blocks_of_unequal_work_are_a_doubt() -> None:
    rows = json.loads(Path(__file__).with_name("practice.json").read_text(encoding="utf-8"))
    doubts = {row["label"]: confidence.doubts(from_data(Launch, row["launch"]), H200) for row in rows}
    assert "blocks do unequal work, the busiest 3.1 times the mean" in doubts["fractal"][0]
    assert [label for label, found in doubts.items() if any("unequal" in each for each in found)] == [
        "fractal"
    ]


@pytest.mark.parametrize(
    ("label", "last"),
    [
        ("rectangle", 116),  # 512 blocks, of which 3 fit on each of 132 SMs
        ("two_by_four", 0),  # most blocks wait
        ("copied_ahead", 0),  # all fit at once
    ],
)
def test_last_blocks_that_may_gather_are_named(label: str, last: int) -> None:
    at = next(at for at, row in enumerate(ROWS) if row["of"] == "retake" and row["label"] == label)
    row, launch, time = ROWS[at], LAUNCHES[at], times()[at]
    held = theoretical(H200.limits, "9.0", math.prod(launch.block), row["registers"], row["shared_bytes"])
    assert confidence.last_blocks(launch, H200, held) == last
    assert confidence.last_blocks(launch, H200, None) == 0
    said = confidence.sentence(launch, time, H200, held)
    assert said.endswith(f"; more if the last {last} blocks gather on a few SMs") == (last > 0)
