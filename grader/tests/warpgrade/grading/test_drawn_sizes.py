"""A right kernel keeps the points of its techniques, whatever sizes a course draws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support import styles
from warpgrade.core.paths import here
from warpgrade.course import lab as labs
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, prepare

REPOSITORY = here()
pytestmark = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs `make tools`")


@pytest.mark.parametrize(
    ("name", "style", "technique", "salt"),
    [("11-scan", "blocked", "few-additions", "s3"), ("15-softmax", "one-read", "reuse", "s2")],
)
def test_a_technique_is_earned_where_segments_and_tiles_are_cut_off(
    name: str, style: str, technique: str, salt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPGRADE_SALT", salt)
    item = labs.named(REPOSITORY, name)
    (wanted,) = (each for each in item.techniques if each.name == technique)
    timeless = replace(item.performance, points=0, sizes=())
    alone = replace(item, cases=(item.case(wanted.case),), techniques=(wanted,), performance=timeless)
    session = prepare(REPOSITORY, [alone], Options("emulator"))
    (kernel,) = (each for each in styles.kernels(REPOSITORY, item) if each.label == style)
    result = pipeline.grade_one(kernel.submission, session.prepared_labs[0], tmp_path, session)
    assert result.score is not None
    earned = {part.name: part.earned for part in result.score.parts}
    assert earned[technique] == wanted.points
