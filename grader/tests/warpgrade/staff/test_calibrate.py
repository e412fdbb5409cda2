"""Reference timings and the spread of gradings, with imitated tools: no GPU is asked."""

from __future__ import annotations

import json

import pytest

from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository
from warpgrade.grading.session import Workshop
from warpgrade.records import CardState
from warpgrade.staff import calibrate, spread
from warpgrade.staff.calibrate import Conditions, ReferenceTiming
from warpgrade.staff.spread import Spread

STATE = CardState(1980.0, 3201.0, 41.0, 190.0, 0, (), "580.159.04")


def write(shop: Workshop, **changed: str) -> None:
    told = {"harness": calibrate.harness_hash(shop.repository), "toolkit": shop.setting.toolkit} | changed
    conditions = Conditions(
        "NVIDIA H200", "580", told["toolkit"], told["harness"], "2026-11-20", STATE, STATE
    )
    rows = tuple(
        ReferenceTiming(
            place.lab.name, size, 1.0, 0.001, 11, 1.0,
            changed.get("solution", place.reference.build.fatbin_hash[:16]),
        )
        for place in shop.places for size in place.lab.performance.gpu_sizes
    )  # fmt: skip
    calibrate.write(shop.repository, conditions, rows[: len(rows) - ("missing" in changed)])


def test_what_was_just_measured_is_fresh(shop: Workshop) -> None:
    write(shop)
    assert calibrate.stale(shop.repository, shop) == []
    (path,) = (shop.repository.root / "datasets/reference-timings").glob("*.json")
    assert path.name == "h200.json"
    assert json.loads(path.read_text())["conditions"]["before"]["clock"] == 1980.0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"harness": "other"}, "another harness"),
        ({"toolkit": "12.9"}, "another toolkit"),
        ({"solution": "other"}, "another solution"),
        ({"missing": "yes"}, "never measured"),
    ],
)
def test_what_changed_makes_rows_stale(shop: Workshop, changed: dict[str, str], words: str) -> None:
    write(shop, **changed)
    assert words in " ".join(calibrate.stale(shop.repository, shop))


def test_a_change_of_the_harness_is_noticed(repository: Repository) -> None:
    before = calibrate.harness_hash(repository)
    (repository.root / "grader/harness").mkdir(parents=True, exist_ok=True)
    (repository.root / "grader/harness/timer.cpp").write_text("// another\n")
    assert calibrate.harness_hash(repository) != before


def test_without_a_gpu_nothing_is_measured(shop: Workshop) -> None:
    with pytest.raises(GraderError, match="measured on a GPU"):
        calibrate.measure(shop)


def test_points_go_on_beyond_the_cut(shop: Workshop) -> None:
    lab = shop.labs[0]
    most = lab.performance.points
    assert spread.points_of(lab.performance.full, lab) == pytest.approx(most)
    assert spread.points_of(lab.performance.none, lab) == pytest.approx(0)
    assert spread.points_of(2 * lab.performance.full, lab) > most


def test_the_spread_of_points() -> None:
    found = Spread("02-tiled", (1, 1, 1), (10.0, 10.1, 10.2, 10.3, 11.0), (1.0,) * 5)
    assert found.whole == pytest.approx(1.0)
    assert 0.2 <= found.middle_half <= 0.7
