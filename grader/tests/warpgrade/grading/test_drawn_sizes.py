"""Sizes that the course draws: part of every key, and harmless to what is right at all sizes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, prepare
from warpgrade.records import Lab
from warpgrade.submission import admit

pytestmark = pytest.mark.long

REPOSITORY = here()
LABS = [item for item in lab.find(REPOSITORY) if item.draws]


def points(item: Lab, source: Path, folder: Path) -> dict[str, float]:
    session = prepare(REPOSITORY, [item], Options("emulator"))
    (prepared,) = session.prepared_labs
    result = pipeline.grade_one(admit.from_file(source, item, "you"), prepared, folder, session)
    assert result.score is not None, result.problem
    return {part.name: part.earned for part in result.score.parts}


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_a_solution_keeps_its_points_whatever_is_drawn(
    item: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = REPOSITORY.solution(item.name) / item.files[0]
    for salt in ("one", "another"):
        monkeypatch.setenv("WARPGRADE_SALT", salt)
        assert sum(points(item, source, tmp_path / salt).values()) == 100


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_sizes_are_part_of_the_fingerprint(item: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPGRADE_SALT", "one")
    found = []
    for draws in (item.draws, tuple(replace(draw, last=draw.first) for draw in item.draws)):
        session = prepare(REPOSITORY, [replace(item, draws=draws)], Options("emulator"))
        (prepared,) = session.prepared_labs
        found.append((prepared.fingerprint, prepared.lab.performance.sizes))
    assert found[0][1] != found[1][1] and found[0][0] != found[1][0]
