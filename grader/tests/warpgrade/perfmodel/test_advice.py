"""The right advice on speed: what it proposes is applied, and the gain is the one that was predicted.

fixtures/remedies/<lab>/<name>.cu are right kernels with one fault in an access; their first line names the
remedy that must be proposed. <name>.repaired.cu is the same kernel without the fault. Both are modelled on
the same GPU; grader/tests/gpu/remedies.py measures them, and docs/performance-model.md has what it measured.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.hand_ins import handed_in
from warpgrade.core.paths import here
from warpgrade.grading.session import Options
from warpgrade.records import PerformanceVerdict, Result

pytestmark = pytest.mark.long

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "remedies"
FILES = sorted(FOLDER.glob("*/*.cu"))
FAULTY = [file for file in FILES if not file.name.endswith(".repaired.cu")]
WITHIN = 0.2
ROWS = here().root / "docs" / "performance-model.md"


@pytest.fixture(scope="module")
def results() -> dict[Path, Result]:
    return handed_in.graded(FILES, Options("emulator", practice=True))


def performance(result: Result) -> PerformanceVerdict:
    verdict = result.judgement.performance if result.judgement else None
    assert verdict is not None and verdict.judged, result
    return verdict


def in_the_docs(file: Path) -> tuple[float, float]:
    """The gain that was predicted for this kernel, and the one that an H200 measured."""
    names = [file.parent.name, file.stem]
    cells = ([cell.strip() for cell in line.strip("| \n").split("|")] for line in ROWS.open(encoding="utf-8"))
    predicted, measured = next(row[3:5] for row in cells if row[:2] == names)
    return float(predicted.removesuffix("×")), float(measured.removesuffix("×"))


@pytest.mark.parametrize("file", FAULTY, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_remedy_that_is_proposed_brings_what_it_promises(file: Path, results: dict[Path, Result]) -> None:
    found = performance(results[file])
    repaired = performance(results[file.with_name(f"{file.stem}.repaired.cu")])
    brought = found.sizes[0].student_ms / repaired.sizes[0].student_ms
    assert found.remedy == handed_in.wanted(file), (found.sentence, brought)
    assert found.gain == pytest.approx(brought, rel=WITHIN), found.sentence


@pytest.mark.parametrize("file", FAULTY, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_gain_is_the_one_that_a_gpu_measured(file: Path, results: dict[Path, Result]) -> None:
    found = performance(results[file])
    predicted, measured = in_the_docs(file)
    assert found.gain == pytest.approx(measured, rel=WITHIN), found.sentence
    assert found.gain == pytest.approx(predicted, abs=0.01), f"{ROWS} has another prediction"
