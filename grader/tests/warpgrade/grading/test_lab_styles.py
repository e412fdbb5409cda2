"""Right kernels in unlike styles, `styles/*.cu` beside a lab's solution: each is right in every case.

They are found by listing. After "Loses:", the first line of a file names the parts of the score that
its style does not earn.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from support.hand_ins import handed_in
from support.sample import sampled_by
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, Session, prepare

pytestmark = pytest.mark.long

REPOSITORY = here()
LABS = {
    item.name: item for item in lab.find(REPOSITORY) if (REPOSITORY.solution(item.name) / "styles").is_dir()
}
STYLES = {
    name: [(name, path) for path in sorted((REPOSITORY.solution(name) / "styles").glob("*.cu"))]
    for name in LABS
}


@functools.cache
def session() -> Session:
    return prepare(REPOSITORY, list(LABS.values()), Options("emulator"))


@pytest.mark.parametrize(
    ("name", "style"),
    sampled_by(STYLES.values(), one_in=16),
    ids=lambda value: value.stem if isinstance(value, Path) else value,
)
def test_it_is_right_in_every_case(name: str, style: Path, tmp_path: Path) -> None:
    prepared = next(each for each in session().prepared_labs if each.lab.name == name)
    text = style.read_text(encoding="utf-8")
    handed = handed_in.submission(prepared.lab, text, REPOSITORY.solution(name))
    result = pipeline.grade_one(handed, prepared, tmp_path, session())
    assert result.status == "graded" and result.score is not None, result.problem
    assert result.run is not None and result.run.findings == ()
    lost = {part.name for part in result.score.parts if part.earned < part.possible}
    named = re.search(r"Loses: (.*)\.$", text.split("\n")[0])
    allowed = set(named[1].split(", ")) if named else set()
    assert lost == allowed, [(part.name, part.earned, part.sentence) for part in result.score.parts]


@pytest.mark.parametrize("name", LABS)
def test_there_are_enough(name: str) -> None:
    assert len(STYLES[name]) >= 5
