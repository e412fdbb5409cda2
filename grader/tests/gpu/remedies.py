"""Advice on speed against a GPU: is a repaired access as much faster as the model promised?

    python grader/tests/gpu/remedies.py OUT.json

Grades each pair of fixtures/remedies/ on this machine's GPU, at the sizes that a GPU is timed with. For each
pair, OUT holds the remedy, the gain that was predicted and the one that was measured. Exit code 1 if one
differs by more than 20 %.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "grader"), str(ROOT / "grader" / "tests")]

from support import handed_in  # noqa: E402
from warpgrade.core.paths import here  # noqa: E402
from warpgrade.course import lab  # noqa: E402
from warpgrade.grading import pipeline  # noqa: E402
from warpgrade.grading.session import Options, Session, prepare  # noqa: E402
from warpgrade.records import PerformanceVerdict  # noqa: E402

FOLDER = ROOT / "grader" / "tests" / "fixtures" / "remedies"
REPAIRED = ".repaired.cu"
WITHIN = 0.2


def timed(file: Path, session: Session, folder: Path) -> PerformanceVerdict:
    item = next(each for each in session.prepared_labs if each.lab.name == file.parent.name)
    own = session.repository.labs / item.lab.name
    submission = handed_in.submission(item.lab, file.read_text(encoding="utf-8"), own)
    result = pipeline.grade_one(submission, item, folder / file.parent.name / file.name, session)
    verdict = result.judgement.performance if result.judgement else None
    if verdict is None or not verdict.judged or verdict.modelled:
        raise SystemExit(f"{file}: not timed on a GPU: {verdict.sentence if verdict else result.problem}")
    return verdict


def compared(file: Path, session: Session, folder: Path) -> dict[str, object]:
    found = timed(file, session, folder)
    repaired = timed(file.with_name(file.stem + REPAIRED), session, folder)
    return {
        "lab": file.parent.name,
        "kernel": file.stem,
        "gpu": found.gpu,
        "remedy": found.remedy,
        "predicted": found.gain,
        "measured": found.sizes[0].student_ms / repaired.sizes[0].student_ms,
    }


def main(out: Path) -> int:
    repository = here()
    files = sorted(file for file in FOLDER.glob("*/*.cu") if not file.name.endswith(REPAIRED))
    labs = [lab.load(repository.labs / name) for name in sorted({file.parent.name for file in files})]
    session = prepare(repository, labs, Options("gpu", measured=True, practice=True))
    with tempfile.TemporaryDirectory() as folder:
        rows = [compared(file, session, Path(folder)) for file in files]
    out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    worst = 0.0
    for row in rows:
        predicted, measured = float(str(row["predicted"] or 1)), float(str(row["measured"]))
        worst = max(worst, abs(predicted / measured - 1))
        print(f"{row['lab']:<18} {row['kernel']:<28} {row['remedy']!s:<16} {predicted:6.2f} {measured:6.2f}")
    return int(worst > WITHIN)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
