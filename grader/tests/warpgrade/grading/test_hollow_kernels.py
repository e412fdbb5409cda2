"""Kernels that are right and do for show what a technique asks for: they earn nothing for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.hand_ins import parts
from support.sample import sampled
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.submission import admit

pytestmark = pytest.mark.long

REPOSITORY = here()
HOLLOW = sorted((REPOSITORY.root / "grader/tests/fixtures/submissions/hollow").glob("*.cu"))


@pytest.mark.parametrize("file", sampled(HOLLOW, one_in=6), ids=lambda file: file.stem)
def test_a_technique_for_show_earns_nothing(file: Path, tmp_path: Path) -> None:
    item = lab.named(REPOSITORY, file.name.split(".")[0])
    earned = parts.earned(REPOSITORY, item, admit.from_file(file, item, "you"), tmp_path)
    wrong = [case.name for case in item.cases if earned[case.name] < case.points]
    assert not wrong, "the kernels are right"
    lost = parts.lost(file)
    assert {name: earned[name] for name in lost} == dict.fromkeys(lost, 0)
