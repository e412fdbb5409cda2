"""Typical mistakes: the cause of each is named first.

Each fixtures/mistakes/<lab>/<name>.cu is a submission. Its first line names the cause that must come first
(feedback/mistakes.py): `//! returned-early`. Headers in the lab's folder hold what its files have in common.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support import sample
from support.hand_ins import handed_in
from warpgrade.feedback import mistakes
from warpgrade.grading.session import Options
from warpgrade.records import Result

pytestmark = pytest.mark.long

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "mistakes"
FILES = sorted(FOLDER.glob("*/*.cu"))
LABS = handed_in.labs_of(FILES)


@pytest.fixture(scope="module")
def results(request: pytest.FixtureRequest) -> dict[Path, Result]:
    files = [file for (file,) in sample.chosen(request, "file")]
    return handed_in.graded(files, Options("emulator", practice=True))


@pytest.mark.parametrize(
    "file", sample.sampled(FILES, one_in=12), ids=lambda file: f"{file.parent.name}-{file.stem}"
)
def test_the_cause_of_a_typical_mistake_is_named_first(file: Path, results: dict[Path, Result]) -> None:
    result = results[file]
    assert result.status == "graded", result.problem
    found = mistakes.causes(LABS[file.parent.name], result)
    assert found[:1] == (handed_in.wanted(file),), found


def test_there_are_mistakes_of_labs_of_all_kinds() -> None:
    assert len(FILES) >= 50 and len(LABS) >= 7
