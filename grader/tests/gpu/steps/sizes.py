"""The same products at small sizes, where few blocks meet many SMs, and the GPU's rates and latencies.

    grader/tests/gpu/session.py OUT --only sizes

writes OUT/sizes.json (rows of program, arguments, kernel, milliseconds), OUT/styles-small.json (rows of the
ladder) and OUT/rates.jsonl (grader/gpus/microbenchmarks.cu).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from . import model
from .frame import ROOT, WORK, NotRun, StepContext
from .styles import timed_styles

SIDES = (512, 1024, 2048)
COURSE_SIDE = 4  # the sides of course.cu's matrices over those of its products
MICROBENCHMARKS = ROOT / "grader/gpus/microbenchmarks.cu"
SERIES = "WARPGRADE_SERIES"  # names a .cu file that takes a side and repeats, as products.cu does


def sources() -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Each program's source and arguments."""
    for side in SIDES:
        yield model.MODEL / "products.cu", (str(side),)
        yield model.MODEL / "course.cu", (str((COURSE_SIDE * side) ** 2),)
        yield model.MODEL / "practice.cu", (str((COURSE_SIDE * side) ** 2),)
    if SERIES in os.environ:
        for side in (*SIDES, 4096):
            yield Path(os.environ[SERIES]), (str(side),)


def sizes(context: StepContext) -> None:
    """Measure everything; nothing is predicted here."""
    built: dict[Path, Path] = {}
    rows: list[dict[str, object]] = []
    for source, arguments in sources():
        if source not in built:
            built[source] = model.compiled(source, WORK / "programs" / source.stem)
        lines = _lines([str(built[source]), *arguments, "21"])
        rows += [{"of": source.stem, "arguments": arguments} | json.loads(line) for line in lines]
    (context.out / "sizes.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    context.report(f"  {len(rows)} launches at small sizes")
    rates = _lines([str(model.compiled(MICROBENCHMARKS, WORK / "programs/microbenchmarks"))])
    (context.out / "rates.jsonl").write_text("\n".join(rates) + "\n", encoding="utf-8")
    context.report(f"  {len(rates)} rates and latencies")
    sides = [(side, side, side) for side in SIDES]
    found = timed_styles(context, sides, context.out / "styles-small.jsonl")
    styles = [row for of in found.values() for row in of]
    (context.out / "styles-small.json").write_text(json.dumps(styles, indent=1) + "\n", encoding="utf-8")
    context.report(f"  {len(styles)} times of right kernels in unlike styles")


def _lines(command: list[str]) -> list[str]:
    ran = subprocess.run(command, capture_output=True, text=True, env=model.on_the_card())
    if ran.returncode != 0:
        raise NotRun(f"{Path(command[0]).name} ended with {ran.returncode}: {ran.stderr.strip()[-300:]}")
    return [line for line in ran.stdout.splitlines() if line.startswith("{")]
