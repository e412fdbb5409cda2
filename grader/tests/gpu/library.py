"""Lab 09's solution against cuBLAS in single precision, launch by launch in one process.

    python grader/tests/gpu/library.py OUT

Writes OUT/library.jsonl. Exit code 1 if the library is faster at one of the sizes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from warpgrade.core.errors import WarpgradeError
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.gpu.ladder_file import LIBRARY
from warpgrade.grading.session import Options, prepare
from warpgrade.staff import ladder

LAB = "09-sgemm"


def main(out: Path) -> int:
    repository = here()
    session = prepare(repository, [lab.named(repository, LAB)], Options("gpu"))
    (prepared,) = session.prepared_labs
    assert prepared.reference.fatbin is not None
    kernels = [(LAB, prepared.lab.kernel, prepared.reference.fatbin)]
    sizes, libraries = prepared.lab.performance.ladder, ladder.libraries(session)
    rows = ladder.run_program(repository, prepared.lab, kernels, sizes, out / "library.jsonl", libraries)
    found, absent = ladder.timings(rows)
    for words in absent:
        print(f"not measured: {words}")
    slower = 0
    for size in sizes:
        speed = {row.label: row.gflops for row in found if row.size == size}
        if LIBRARY in speed:
            share = speed[LAB] / speed[LIBRARY]
            print(f"{size[0]}: {speed[LAB]:,.0f} of {speed[LIBRARY]:,.0f} GFLOP/s, {share:.1%} of {LIBRARY}")
            slower += share < 1
    return 1 if slower else 0


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1])))
    except WarpgradeError as error:
        print(f"not run: {error}\n  {error.remedy}")
