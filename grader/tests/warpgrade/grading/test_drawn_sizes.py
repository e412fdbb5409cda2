"""Sizes that the course draws: part of every key, and harmless to what is right at all sizes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support import sample
from support.hand_ins import parts, styles
from warpgrade.core.paths import here
from warpgrade.course import evidence, lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, prepare
from warpgrade.records import Lab, LabKind, Submission
from warpgrade.run import datasets
from warpgrade.submission import admit

pytestmark = pytest.mark.long

REPOSITORY = here()
TUNED = sorted((REPOSITORY.root / "grader/tests/fixtures/submissions/tuned").glob("*.cu"))
_DEPENDS = "\n// Time: depends on the size more than that of other kernels.\n"
LABS = [item for item in lab.find(REPOSITORY) if item.draws]
TIMED = [item for item in LABS if item.performance.points]


def test_every_kernel_is_timed_at_sizes_that_are_drawn() -> None:
    """On either device: one that is fast at a size that everybody knows would get full points."""
    timed = [item for item in lab.find(REPOSITORY) if item.kind is not LabKind.PROGRAM]
    timed = [item for item in timed if item.performance.points]
    assert timed
    assert not [item.name for item in timed if not item.performance.drawn]
    assert not [item.name for item in timed if item.performance.gpu_sizes and not item.performance.gpu_drawn]


def test_every_technique_that_is_counted_is_measured_at_a_size_that_is_drawn() -> None:
    """Except where only instructions of the file are counted, which no size changes."""
    known = [
        f"{item.name}: {technique.name}"
        for item in lab.find(REPOSITORY)
        if item.kind is not LabKind.PROGRAM
        for technique in item.techniques
        if set(evidence.needed(technique)) & set(evidence.counters(item))
        and not item.case(technique.case).drawn
    ]
    assert not known


@pytest.mark.parametrize("item", TIMED, ids=lambda item: item.name)
def test_a_secret_draws_other_sizes_for_a_gpu(item: Lab) -> None:
    assert len({datasets.drawn(item, str(salt)).performance.gpu_sizes for salt in range(8)}) >= 4


def points(item: Lab, submission: Submission, folder: Path) -> dict[str, float]:
    return parts.earned(REPOSITORY, item, submission, folder)


@pytest.mark.parametrize("item", sample.sampled(LABS, one_in=9), ids=lambda item: item.name)
def test_a_solution_keeps_its_points_whatever_is_drawn(
    item: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = admit.from_file(REPOSITORY.solution(item.name) / item.files[0], item, "you")
    for salt in ("one", "another"):
        monkeypatch.setenv("WARPGRADE_SALT", salt)
        assert sum(points(item, source, tmp_path / salt).values()) == 100


@pytest.mark.parametrize("file", sample.sampled(TUNED, one_in=4), ids=lambda file: file.stem)
def test_a_kernel_that_is_tuned_to_known_sizes_loses_the_points_for_time_and_techniques(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = lab.named(REPOSITORY, file.stem)
    lost = parts.lost(file)
    monkeypatch.setenv("WARPGRADE_SALT", datasets.DEFAULT_SALT)
    tuned = admit.from_file(file, item, "you")
    known = points(item, tuned, tmp_path / "known")
    monkeypatch.setenv("WARPGRADE_SALT", "one")
    drawn = points(item, tuned, tmp_path / "drawn")
    possible = {technique.name: technique.points for technique in item.techniques}
    possible["performance"] = item.performance.points
    assert {name: known[name] for name in lost} == {name: possible[name] for name in lost}
    assert not [name for name in lost if drawn[name] >= 1]
    assert {**known, **dict.fromkeys(lost, 0)} == {**drawn, **dict.fromkeys(lost, 0)}


@pytest.mark.parametrize(
    ("item", "style"),
    sample.sampled(
        (
            pytest.param(item, style, id=f"{item.name}-{style.label}")
            for item in LABS
            for style in styles.shared(REPOSITORY, item)
            if _DEPENDS in style.submission.files[0].text
        ),
        one_in=8,
    ),
)
def test_a_right_kernel_gets_the_same_points_whatever_is_drawn(
    item: Lab, style: styles.RightKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within half a point, as bench/drawn.py finds for all styles; these differed by one to six before."""
    found = []
    for salt in (datasets.DEFAULT_SALT, "one", "two"):
        monkeypatch.setenv("WARPGRADE_SALT", salt)
        found.append(points(item, style.submission, tmp_path))
    for part, least in found[0].items():
        assert [drawn[part] for drawn in found[1:] if abs(drawn[part] - least) > 0.5] == [], (part, least)


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_sizes_are_part_of_the_fingerprint(item: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPGRADE_SALT", "one")
    found = []
    for draws in (item.draws, tuple(replace(draw, last=draw.first) for draw in item.draws)):
        session = prepare(REPOSITORY, [replace(item, draws=draws)], Options("emulator"))
        (prepared,) = session.prepared_labs
        sizes = [case.size for case in prepared.lab.cases]
        found.append((prepared.fingerprint, (sizes, prepared.lab.performance.sizes)))
    assert found[0][1] != found[1][1] and found[0][0] != found[1][0]


@pytest.mark.parametrize(
    ("name", "style", "technique", "salt"),
    [("11-scan", "blocked", "few-additions", "s3"), ("15-softmax", "one-read", "reuse", "s2")],
)
def test_a_technique_is_earned_where_segments_and_tiles_are_cut_off(
    name: str, style: str, technique: str, salt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPGRADE_SALT", salt)
    item = lab.named(REPOSITORY, name)
    (wanted,) = (each for each in item.techniques if each.name == technique)
    timeless = replace(item.performance, points=0, sizes=())
    alone = replace(item, cases=(item.case(wanted.case),), techniques=(wanted,), performance=timeless)
    session = prepare(REPOSITORY, [alone], Options("emulator"))
    (kernel,) = (each for each in styles.kernels(REPOSITORY, item) if each.label == style)
    result = pipeline.grade_one(kernel.submission, session.prepared_labs[0], tmp_path, session)
    assert result.score is not None
    earned = {part.name: part.earned for part in result.score.parts}
    assert earned[technique] == wanted.points
