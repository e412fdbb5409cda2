"""The reference timings of this GPU, as `warpgrade calibrate` writes them."""

from __future__ import annotations

import shutil

from .frame import ROOT, StepContext


def timings(context: StepContext) -> None:
    context.report(context.warpgrade("calibrate", "--sandbox", context.sandbox).rstrip())
    for file in ROOT.glob("datasets/reference-timings/*.json"):
        shutil.copyfile(file, context.out / file.name)
