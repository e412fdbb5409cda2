"""Reference timings and the spread of gradings, with fake tools and no GPU."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository
from warpgrade.grading.session import Session
from warpgrade.records import GpuState
from warpgrade.staff import calibrate, spread
from warpgrade.staff.calibrate import ReferenceTiming, TimingConditions
from warpgrade.staff.spread import Spread

STATE = GpuState(1980.0, 3201.0, 41.0, 190.0, 0, (), "580.159.04")


def write(session: Session, **changed: str) -> None:
    measured = {
        "harness": calibrate.harness_hash(session.repository),
        "toolkit": session.setting.toolkit,
    } | changed
    conditions = TimingConditions(
        "NVIDIA H200", "580", measured["toolkit"], measured["harness"], "2026-11-20", STATE, STATE
    )
    rows = tuple(
        ReferenceTiming(
            prepared.lab.name, size, 1.0, 0.001, 11, 1.0,
            changed.get("solution", prepared.reference.build.fatbin_hash[:16]),
        )
        for prepared in session.prepared_labs for size in prepared.lab.performance.gpu_sizes
    )  # fmt: skip
    calibrate.write(session.repository, conditions, rows[: len(rows) - ("missing" in changed)])


def test_new_timings_are_not_stale(session: Session) -> None:
    write(session)
    assert calibrate.stale(session.repository, session) == []
    (path,) = (session.repository.root / "datasets/reference-timings").glob("*.json")
    assert path.name == "h200.json"
    assert json.loads(path.read_text())["conditions"]["before"]["clock"] == 1980.0


def test_reference_timings_are_of_sizes_that_everybody_knows(session: Session) -> None:
    """The file is in the repository: what a course draws must not stand in it."""
    write(session)
    (prepared,) = session.prepared_labs
    performance = prepared.lab.performance
    drawn = replace(performance, gpu_sizes=((9, 9, 9),), gpu_drawn=(("1024", "1024", "1024"),))
    secret = replace(prepared, lab=replace(prepared.lab, performance=drawn))
    assert calibrate.stale(session.repository, replace(session, prepared_labs=(secret,))) == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"harness": "other"}, "another harness"),
        ({"toolkit": "12.9"}, "another toolkit"),
        ({"solution": "other"}, "another solution"),
        ({"missing": "yes"}, "never measured"),
    ],
)
def test_a_changed_input_makes_rows_stale(session: Session, changed: dict[str, str], words: str) -> None:
    write(session, **changed)
    assert words in " ".join(calibrate.stale(session.repository, session))


def test_a_change_of_the_harness_is_noticed(repository: Repository) -> None:
    before = calibrate.harness_hash(repository)
    (repository.root / "grader/harness").mkdir(parents=True, exist_ok=True)
    timer = repository.root / "grader/harness/timer.cpp"
    timer.write_text("int rounds = 12;\n")
    changed = calibrate.harness_hash(repository)
    assert changed != before
    timer.write_text("// A comment times nothing.\nint rounds = 12;  // even\n")
    assert calibrate.harness_hash(repository) == changed
    explained = repository.root / "grader/harness/patterns/pattern.cpp"
    explained.parent.mkdir()
    explained.write_text("int explained_after_the_launch;\n")
    assert calibrate.harness_hash(repository) == changed


def test_without_a_gpu_nothing_is_measured(session: Session) -> None:
    with pytest.raises(GraderError, match="measured on a GPU"):
        calibrate.measure(session)


def test_points_of_a_spread_are_not_clamped(session: Session) -> None:
    lab = session.labs[0]
    most = lab.performance.points
    assert spread.points_of(lab.performance.full, lab) == pytest.approx(most)
    assert spread.points_of(lab.performance.none, lab) == pytest.approx(0)
    assert spread.points_of(2 * lab.performance.full, lab) > most


def test_the_spread_of_points() -> None:
    found = Spread("02-tiled", (1, 1, 1), (10.0, 10.1, 10.2, 10.3, 11.0), (1.0,) * 5)
    assert found.whole == pytest.approx(1.0)
    assert 0.2 <= found.middle_half <= 0.7
