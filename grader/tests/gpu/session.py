"""Runs everything that needs a GPU and writes the results to one folder.

    python grader/tests/gpu/session.py OUT [--only STEP]... [--lab NAME]... [--sandbox NAME]

verdicts     solutions, skeletons, mutants and the sample class on the emulator and on the GPU, case by case
cheats       kernels that cheat only when they are timed: the GPU's own timing must notice
timings      reference timings (datasets/reference-timings/), copied into OUT
model        kernels that the performance model was not fitted to: predicted first, then measured
counters     Nsight Compute's counters of the same kernels
others       the other scripts in this folder; the emulator's bits and counters against the GPU's
spread       one kernel graded 20 times: the spread of its points
sizes        the same products at small sizes, and the GPU's rates and latencies
styles       right kernels in unlike styles beside the solution, launch by launch

`verdicts` grades every mutant of every lab on the GPU, one after the other. Three labs took 116 s beside an
H200; all labs were not done after 430 s: name some with --lab.

Prints a summary last, with the steps that could not run and the reason. Exit code 1 if the GPU's verdict on a
right kernel differs, a cheat was not noticed, or gradings differ too much; 0 also if a step could not run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from steps.cheats import built_cheats, cheats
from steps.frame import BUDGET, NotRun, StepContext
from steps.model import counters, model, predictions, programs
from steps.others import bits, others
from steps.sizes import sizes
from steps.spread import spread
from steps.styles import styles
from steps.timings import timings
from steps.verdicts import verdicts

from warpgrade.sandbox import process


def begin_ahead(context: StepContext, wanted: list[str]) -> None:
    """Start the later steps' work on the processor during the first step, which measures no times."""
    if wanted[:1] != [verdicts.__name__]:
        return
    if "cheats" in wanted:
        context.ahead.begin(built_cheats, context.sandbox)
    if "model" in wanted:
        context.ahead.begin(predictions, context)
    elif "counters" in wanted:
        context.ahead.begin(programs)
    if "others" in wanted:
        context.ahead.begin(bits, context)


STEPS: tuple[Callable[[StepContext], None], ...] = (
    verdicts,
    cheats,
    timings,
    model,
    counters,
    others,
    spread,
    styles,
    sizes,
)


def main() -> int:
    """Run all steps, or those that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", action="append", choices=[step.__name__ for step in STEPS])
    parser.add_argument("--lab", action="append", default=[], help="of the step verdicts; default: all")
    parser.add_argument("--sandbox", default="bwrap", choices=process.KINDS)
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    context = StepContext(words.out.resolve(), words.sandbox, [], [], tuple(words.lab))
    not_run = []
    wanted = [step for step in STEPS if not words.only or step.__name__ in words.only]
    begin_ahead(context, [step.__name__ for step in wanted])
    for step in wanted:
        name = step.__name__
        if step is not verdicts:
            context.ahead.settle()
        context.report(f"{name} (at {context.seconds:.0f} s)")
        if context.seconds > BUDGET:
            not_run.append(f"{name}: no time left")
            continue
        try:
            step(context)
        except NotRun as why:
            not_run.append(f"{name}: {why}")
        except Exception as error:  # the other steps still run
            not_run.append(f"{name}: {type(error).__name__}: {error}")
    context.report(f"done in {context.seconds:.0f} s")
    for line in [f"not run: {why}" for why in not_run] + [f"FAILED: {what}" for what in context.failures]:
        context.report(line)
    (context.out / "summary.txt").write_text("\n".join(context.lines) + "\n", encoding="utf-8")
    return 1 if context.failures else 0


if __name__ == "__main__":
    sys.exit(main())
