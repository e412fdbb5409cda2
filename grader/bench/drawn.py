"""Points of right kernels in unlike styles: at sizes that a course draws, against the least ones.

    python grader/bench/drawn.py [--salt WORD]… [LAB…]

Prints the kernels whose points differ by more than half a point, and how many were compared. Only cases on
which techniques look are run, then the times are modelled; other cases do not depend on what is drawn.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "grader"), str(ROOT / "grader" / "tests")]

from support.hand_ins import styles  # noqa: E402
from warpgrade.core.paths import Repository  # noqa: E402
from warpgrade.course import lab as labs  # noqa: E402
from warpgrade.grading import pipeline  # noqa: E402
from warpgrade.grading.session import Options, prepare  # noqa: E402
from warpgrade.records import Lab  # noqa: E402
from warpgrade.run.datasets import DEFAULT_SALT  # noqa: E402

REPOSITORY = Repository(ROOT)
_NEAR = 0.5  # points
_DEVICE = Options("emulator")


def points(item: Lab, salt: str, folder: Path) -> dict[str, Mapping[str, float]]:
    """By kernel and part of the score. Builds are kept in `folder`."""
    os.environ["WARPGRADE_SALT"] = salt
    measured = {technique.case for technique in item.techniques}
    cases = tuple(case for case in item.cases if case.name in measured) or item.cases[:1]
    session = prepare(REPOSITORY, [replace(item, cases=cases, faults=())], _DEVICE)
    (prepared,) = session.prepared_labs

    def graded(kernel: styles.RightKernel) -> tuple[str, Mapping[str, float]]:
        result = pipeline.grade_one(kernel.submission, prepared, folder / kernel.label, session)
        parts = result.score.parts if result.score else ()
        return kernel.label, {part.name: part.earned for part in parts}

    with ThreadPoolExecutor(session.jobs) as pool:
        kernels = (*styles.kernels(REPOSITORY, item), *styles.shared(REPOSITORY, item))
        return dict(pool.map(graded, kernels))


def compared(item: Lab, salts: Sequence[str]) -> int:
    """How many kernels are more than half a point apart, over all salts; they are printed."""
    far = 0
    with tempfile.TemporaryDirectory() as name:
        least = points(item, DEFAULT_SALT, Path(name))
        for salt in salts:
            drawn, worst = points(item, salt, Path(name)), 0.0
            for label, parts in least.items():
                changes = {part: drawn[label].get(part, 0.0) - earned for part, earned in parts.items()}
                change = sum(changes.values())
                worst = max(worst, abs(change))
                if abs(change) > _NEAR:
                    far += 1
                    about = {part: round(points, 2) for part, points in changes.items() if points}
                    print(f"{item.name} {label} ({salt}): {change:+.2f} {about}", flush=True)
            print(
                f"{item.name} ({salt}): {len(least)} kernels, largest change {worst:.2f} points", flush=True
            )
    return far


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--salt", action="append", help="may be given several times")
    parser.add_argument("names", nargs="*", metavar="LAB")
    given = parser.parse_args()
    items = [item for item in labs.find(REPOSITORY) if item.draws]
    items = [item for item in items if not given.names or item.name in given.names]
    far = sum(compared(item, given.salt or ["a course's secret"]) for item in items)
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
