"""Points of right kernels in unlike styles: at sizes that a course draws, against the least ones.

    python grader/bench/drawn.py [--salt WORD] [LAB…]

Prints the kernels whose points differ by more than half a point, and how many were compared. Only cases on
which techniques look are run, then the times are modelled; other cases do not depend on what is drawn.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "grader"), str(ROOT / "grader" / "tests")]

from support import styles  # noqa: E402
from warpgrade.core.paths import Repository  # noqa: E402
from warpgrade.course import lab as labs  # noqa: E402
from warpgrade.grading import pipeline  # noqa: E402
from warpgrade.grading.session import Options, prepare  # noqa: E402
from warpgrade.records import Lab, SourceFile, Submission  # noqa: E402

REPOSITORY = Repository(ROOT)
STYLES = ROOT / "grader" / "tests" / "fixtures" / "submissions" / "styles"
_NEAR = 0.5  # points
_DEVICE = Options("emulator")


def kernels(item: Lab) -> Iterator[styles.RightKernel]:
    """The lab's own styles and variants, then the collection's that have its parameters."""
    yield from styles.kernels(REPOSITORY, item)
    skeleton = " ".join((REPOSITORY.labs / item.name / item.files[0]).read_text(encoding="utf-8").split())
    if "const float* A, const float* B, float* C, int m, int n, int k)" not in skeleton:
        return
    of_tiles = all(size % 32 == 0 for case in item.cases for size in case.size)
    for path in sorted(STYLES.glob("*.cu")):
        text = path.read_text(encoding="utf-8")
        if of_tiles or text.splitlines()[1] == "// Fits: any size.":
            file = SourceFile(item.files[0], text.replace("KERNEL", item.kernel))
            yield styles.RightKernel(
                path.stem, Submission(path.stem, item.name, path.stem, (file,), path.stem)
            )


def points(item: Lab, salt: str) -> dict[str, Mapping[str, float]]:
    """By kernel and part of the score."""
    os.environ["WARPGRADE_SALT"] = salt
    measured = {technique.case for technique in item.techniques}
    cases = tuple(case for case in item.cases if case.name in measured) or item.cases[:1]
    session = prepare(REPOSITORY, [replace(item, cases=cases, faults=())], _DEVICE)
    (prepared,) = session.prepared_labs

    def graded(kernel: styles.RightKernel) -> tuple[str, Mapping[str, float]]:
        result = pipeline.grade_one(kernel.submission, prepared, Path(folder) / kernel.label, session)
        parts = result.score.parts if result.score else ()
        return kernel.label, {part.name: part.earned for part in parts}

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(session.jobs) as pool:
        return dict(pool.map(graded, kernels(item)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--salt", default="a course's secret")
    parser.add_argument("names", nargs="*", metavar="LAB")
    given = parser.parse_args()
    far = 0
    for item in labs.find(REPOSITORY):
        if not item.draws or (given.names and item.name not in given.names):
            continue
        least, drawn = points(item, "default"), points(item, given.salt)
        worst = 0.0
        for label, parts in least.items():
            changes = {name: drawn[label].get(name, 0.0) - earned for name, earned in parts.items()}
            change = sum(changes.values())
            worst = max(worst, abs(change))
            if abs(change) > _NEAR:
                far += 1
                about = {name: round(points, 2) for name, points in changes.items() if points}
                print(f"{item.name} {label}: {change:+.2f} {about}", flush=True)
        print(f"{item.name}: {len(least)} kernels, largest change {worst:.2f} points", flush=True)
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
