"""Advice on speed against a GPU: is a repaired access as much faster as the model promised?

    python grader/tests/gpu/remedies.py OUT.json

Grades each pair of fixtures/remedies/ on this machine's GPU, at the sizes that a GPU is timed with. For each
pair, OUT holds the remedy, the gain that was predicted and the one that was measured. Exit code 1 if one
differs by more than 20 %.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "grader"), str(ROOT / "grader" / "tests")]

from support.hand_ins import handed_in  # noqa: E402
from warpgrade.grading.session import Options  # noqa: E402
from warpgrade.records import PerformanceVerdict, Result  # noqa: E402

FOLDER = ROOT / "grader" / "tests" / "fixtures" / "remedies"
REPAIRED = ".repaired.cu"
WITHIN = 0.2


def timed(file: Path, results: dict[Path, Result]) -> PerformanceVerdict:
    result = results[file]
    verdict = result.judgement.performance if result.judgement else None
    if verdict is None or not verdict.judged or verdict.modelled:
        raise SystemExit(f"{file}: not timed on a GPU: {verdict.sentence if verdict else result.problem}")
    return verdict


def compared(file: Path, results: dict[Path, Result]) -> dict[str, object]:
    found = timed(file, results)
    repaired = timed(file.with_name(file.stem + REPAIRED), results)
    return {
        "lab": file.parent.name,
        "kernel": file.stem,
        "gpu": found.gpu,
        "remedy": found.remedy,
        "predicted": found.gain,
        "measured": found.sizes[0].student_ms / repaired.sizes[0].student_ms,
    }


def main(out: Path) -> int:
    files = sorted(FOLDER.glob("*/*.cu"))
    results = handed_in.graded(files, Options("gpu", measured=True, practice=True), workers=1)
    rows = [compared(file, results) for file in files if not file.name.endswith(REPAIRED)]
    out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    worst = 0.0
    for row in rows:
        predicted, measured = float(str(row["predicted"] or 1)), float(str(row["measured"]))
        worst = max(worst, abs(predicted / measured - 1))
        print(f"{row['lab']:<18} {row['kernel']:<28} {row['remedy']!s:<16} {predicted:6.2f} {measured:6.2f}")
    return int(worst > WITHIN)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
