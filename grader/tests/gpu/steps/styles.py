"""Times of right kernels in unlike styles beside the solution: what modelled points are held against.

    grader/tests/gpu/session.py OUT --only styles

writes OUT/styles.json, which becomes datasets/reference-timings/styles/<gpu>.json.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .frame import ROOT, WORK, NotRun, StepContext


def built_styles(context: StepContext) -> list[tuple[Any, Any, list[tuple[str, str, Path]]]]:
    """For each lab with styles: the lab, the one with a ladder program, and label, kernel and fat binary."""
    sys.path[:0] = [str(ROOT / "grader"), str(ROOT / "grader" / "tests")]
    from support.hand_ins import styles
    from warpgrade.build import compiler
    from warpgrade.core.paths import Repository
    from warpgrade.course import lab
    from warpgrade.grading.session import Options, prepare
    from warpgrade.records import BuildStatus
    from warpgrade.staff import ladder

    repository = Repository(ROOT)
    labs = lab.find(repository)
    found = []
    for item in labs:
        runner = next(
            (each for each in ladder.with_ladder(labs) if ladder.has_same_problem(each, item)), None
        )
        kernels = list(styles.kernels(repository, item))
        if runner is None or not kernels:
            continue
        session = prepare(repository, [item], Options("emulator", context.sandbox))
        (prepared,) = session.prepared_labs

        def built(kernel: Any, item: Any = item, session: Any = session) -> tuple[str, str, Path]:
            folder = WORK / "styles" / item.name / kernel.label
            made = compiler.build(kernel.submission, item, session.compiler, folder)
            if made.status != BuildStatus.BUILT:
                raise NotRun(f"{kernel.label} does not build: {made.summary}")
            return kernel.label, item.kernel, folder / compiler.FATBIN

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = list(pool.map(built, kernels))
        found.append((item, runner, [(item.name, item.kernel, prepared.reference.fatbin), *rows]))
    return found


def timed_styles(
    context: StepContext, sizes: Sequence[tuple[int, ...]], file: Path
) -> dict[str, list[dict[str, object]]]:
    """For each lab with styles, the ladder's rows, launch by launch in one process; cuBLAS with them.

    `sizes`: those that a GPU is timed with if there are none.
    """
    found = built_styles(context)
    from warpgrade.core.paths import Repository
    from warpgrade.grading.session import Options, prepare
    from warpgrade.staff import ladder

    rows: dict[str, list[dict[str, object]]] = {}
    for item, runner, kernels in found:
        session = prepare(Repository(ROOT), [item], Options("gpu", context.sandbox))
        wanted = sizes or item.performance.gpu_sizes
        rows[item.name] = ladder.run_program(
            Repository(ROOT), runner, kernels, wanted, file, ladder.libraries(session)
        )
    return rows


def styles(context: StepContext) -> None:
    """Time them at the size that a GPU is timed with."""
    found = timed_styles(context, (), context.out / "styles.jsonl")
    for name, rows in found.items():
        times = {str(row["label"]): float(str(row["milliseconds"])) for row in rows if "milliseconds" in row}
        for label, taken in times.items():
            context.report(f"  {name} {label:<32} {taken:9.3f} ms, ratio {times[name] / taken:.3f}")
    rows = [row for of in found.values() for row in of]
    (context.out / "styles.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
