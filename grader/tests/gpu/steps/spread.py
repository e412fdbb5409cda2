"""One kernel graded 20 times: the spread of its points."""

from __future__ import annotations

import itertools
import json
import statistics

from .frame import BUDGET, ROOT, WORK, StepContext

MOST_SPREAD, MOST_MIDDLE = 0.5, 0.2  # points, at 1024 and above


def spread(context: StepContext) -> None:
    """A basic kernel in lab 02: a solution's own points would be clamped at the maximum."""
    slower = WORK / "spread.cu"
    text = (ROOT / "solutions/02-tiled/kernel.cu").read_text(encoding="utf-8")
    slower.parent.mkdir(parents=True, exist_ok=True)
    slower.write_text(
        text.replace("TILE_WIDTH = 16", "TILE_WIDTH = 8").replace("TILE_WIDTH = 32", "TILE_WIDTH = 8")
    )
    rows = []
    kernels = (["02-tiled", str(slower)], ["04-register-tiled"])
    for size, words in itertools.product(("1024x1024x1024", "2048x2048x2048"), kernels):
        if context.seconds > BUDGET:
            context.report(f"  {words[0]} {size} is left out: the time is up")
            continue
        output = context.warpgrade(
            "spread", *words, "--size", size, "--times", "20", "--json", "--sandbox", context.sandbox
        )
        rows += [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    (context.out / "spread.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        name = f"{row['lab']} {'x'.join(map(str, row['size']))}"
        context.report(f"  {name}: ratio {statistics.median(row['ratios']):.3f}, 20 gradings "
                     f"within {row['whole']:.3f} points, middle half {row['middle_half']:.3f}")  # fmt: skip
        if row["whole"] > MOST_SPREAD or row["middle_half"] > MOST_MIDDLE:
            context.failures.append(f"gradings of {name} differ too much")
