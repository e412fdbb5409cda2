"""The right advice on speed: what it proposes is applied, and the gain is the one that was predicted.

fixtures/remedies/<lab>/<name>.cu are right kernels with one fault in an access; their first line names the
remedy that must be proposed. <name>.repaired.cu is the same kernel without the fault. Both are modelled on
the same GPU; grader/tests/gpu/remedies.py measures them.
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
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.records import PerformanceVerdict

pytestmark = pytest.mark.long

REPOSITORY = here()
FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "remedies"
FILES = sorted(FOLDER.glob("*/*.cu"))
FAULTY = [file for file in FILES if not file.name.endswith(".repaired.cu")]
LABS = {name: lab.load(REPOSITORY.labs / name) for name in sorted({file.parent.name for file in FILES})}
WITHIN = 0.2
Verdicts = dict[Path, PerformanceVerdict]


@pytest.fixture(scope="module")
def session() -> Session:
    return prepare(REPOSITORY, list(LABS.values()), Options("emulator", practice=True))


@pytest.fixture(scope="module")
def verdicts(session: Session) -> Iterator[Verdicts]:
    prepared = {each.lab.name: each for each in session.prepared_labs}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:

        def judged(file: Path) -> tuple[Path, PerformanceVerdict]:
            item = prepared[file.parent.name]
            text, own = file.read_text(encoding="utf-8"), REPOSITORY.labs / item.lab.name
            out = Path(folder) / file.parent.name / file.name
            result = pipeline.grade_one(handed_in.submission(item.lab, text, own), item, out, session)
            assert result.judgement is not None and result.judgement.performance is not None
            assert result.judgement.performance.judged, (file.name, result.judgement)
            return file, result.judgement.performance

        yield dict(pool.map(judged, FILES))


@pytest.mark.parametrize("file", FAULTY, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_remedy_that_is_proposed_brings_what_it_promises(file: Path, verdicts: Verdicts) -> None:
    found, repaired = verdicts[file], verdicts[file.with_name(f"{file.stem}.repaired.cu")]
    wanted = file.read_text(encoding="utf-8").splitlines()[0].removeprefix("//!").strip()
    brought = found.sizes[0].student_ms / repaired.sizes[0].student_ms
    assert found.remedy == wanted, (found.sentence, brought)
    assert found.gain == pytest.approx(brought, rel=WITHIN), found.sentence
