"""Right host programs in unlike styles: each earns full points, but for overlap if it says that it has none.

They are found by listing `grader/tests/fixtures/submissions/programs`.
"""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from support.sample import sampled
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.records import LabKind
from warpgrade.submission import admit

pytestmark = pytest.mark.long

REPOSITORY = here()
FOLDER = REPOSITORY.root / "grader" / "tests" / "fixtures" / "submissions" / "programs"
STYLES = sorted(FOLDER.glob("*.cu"))
NO_OVERLAP = "No overlap."


@functools.cache
def session() -> Session:
    labs = [item for item in lab.find(REPOSITORY) if item.kind is LabKind.PROGRAM]
    return prepare(REPOSITORY, labs[:1], Options("emulator"))


@pytest.mark.parametrize("style", sampled(STYLES, one_in=9), ids=lambda path: path.stem)
def test_it_earns_all_that_it_does(style: Path, tmp_path: Path) -> None:
    (prepared,) = session().prepared_labs
    result = pipeline.grade_one(admit.from_file(style, prepared.lab, "you"), prepared, tmp_path, session())
    assert result.status == "graded" and result.score is not None, result.problem
    assert result.run is not None and result.run.findings == ()
    lost = {part.name for part in result.score.parts if part.earned < part.possible}
    head = style.read_text(encoding="utf-8").split("\n")[0]
    assert lost == ({"overlap"} if NO_OVERLAP in head else set()), result.score.parts


def test_there_are_enough() -> None:
    assert len(STYLES) >= 6
