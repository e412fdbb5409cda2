"""Typical mistakes, and what a student is told about each: by the name of its cause, never by words.

fixtures/mistakes/<lab>/<name>.cu are whole submissions. Their first line names the cause that must come first
(feedback/told.py): `//! returned-early`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support import handed_in
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.feedback import told
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.records import Lab, Result

pytestmark = pytest.mark.long

REPOSITORY = here()
FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "mistakes"
FILES = sorted(FOLDER.glob("*/*.cu"))
LABS = {name: lab.load(REPOSITORY.labs / name) for name in sorted({file.parent.name for file in FILES})}
Results = dict[Path, Result]


def wanted(file: Path) -> str:
    return file.read_text(encoding="utf-8").splitlines()[0].removeprefix("//!").strip()


@pytest.fixture(scope="module")
def session() -> Session:
    return prepare(REPOSITORY, list(LABS.values()), Options("emulator", practice=True))


@pytest.fixture(scope="module")
def results(session: Session) -> Iterator[Results]:
    prepared = {each.lab.name: each for each in session.prepared_labs}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:

        def graded(file: Path) -> tuple[Path, Result]:
            item = prepared[file.parent.name]
            submission = handed_in.submission(
                item.lab, file.read_text(encoding="utf-8"), REPOSITORY.labs / item.lab.name
            )
            out = Path(folder) / file.parent.name / file.stem
            return file, pipeline.grade_one(submission, item, out, session)

        yield dict(pool.map(graded, FILES))


def named(item: Lab, result: Result) -> tuple[str, ...]:
    return told.causes(item, result)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_cause_of_a_typical_mistake_is_named_first(file: Path, results: Results) -> None:
    result = results[file]
    assert result.status == "graded", result.problem
    found = named(LABS[file.parent.name], result)
    assert found[:1] == (wanted(file),), found


def test_there_are_mistakes_of_labs_of_all_kinds() -> None:
    assert len(FILES) >= 50 and len(LABS) >= 7
