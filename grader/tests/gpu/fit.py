"""Fits the model of time to a GPU's times of whole kernels; needs the emulator, but no GPU.

    python grader/tests/gpu/fit.py MODEL OUT/model.json [OUT/sizes.json]...

MODEL: a data sheet of grader/gpus/. The files are those of `session.py OUT --only model --only sizes`, or
have the same rows: `of` (a program of grader/tests/gpu/model/), `arguments`, `kernel` and `milliseconds`.
Each program runs on the emulator, which counts its launches. The constants that leave the least error go
into the data sheet.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from steps.model import MODEL, NVCC

from warpgrade.build import toolkit
from warpgrade.core.paths import Repository
from warpgrade.gpu import spec
from warpgrade.gpu.spec import GpuSpec
from warpgrade.perfmodel import fitting
from warpgrade.perfmodel.fitting import TimedLaunch
from warpgrade.staff import gpu_rates
from warpgrade.student import predict

ROOT = Path(__file__).resolve().parents[3]
_SAMPLE = 8


def programs(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, ...], list[float]]:
    """Program and arguments → times of its launches, in their order."""
    found: dict[tuple[str, ...], list[float]] = {}
    for row in rows:
        if (MODEL / f"{row['of']}.cu").is_file():
            found.setdefault((row["of"], *row["arguments"]), []).append(row["milliseconds"])
    return found


def launches(
    repository: Repository, gpu: GpuSpec, name: str, arguments: Sequence[str], times: Sequence[float]
) -> Iterator[TimedLaunch]:
    number = gpu.architecture.removeprefix("sm_")
    target = f"arch=compute_{number},code=[sm_{number},compute_{number}]"
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / name
        nvcc = str(toolkit.find(repository).folder / "bin" / "nvcc")
        command = [nvcc, *NVCC, "-gencode", target, "-o", str(program), str(MODEL / f"{name}.cu")]
        subprocess.run(command, check=True)
        found = predict.predict(repository, program, (*arguments, "1"), gpu, _SAMPLE)
    for each, milliseconds in zip(found, times, strict=True):
        assert each.occupancy is not None
        yield TimedLaunch(each.launch, each.once, each.occupancy, milliseconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("files", nargs="+", type=Path)
    words = parser.parse_args()
    repository = Repository(ROOT)
    gpu = spec.load(repository, words.model)
    rows = [row for file in words.files for row in json.loads(file.read_text(encoding="utf-8"))]
    timed = [
        each
        for (name, *arguments), times in programs(rows).items()
        for each in launches(repository, gpu, name, arguments, times)
    ]
    found = fitting.fit(timed, gpu)
    before = fitting.mean_error(timed, gpu)
    after = fitting.mean_error(timed, fitting.with_constants(gpu, found))
    for name, value in found.items():
        print(f"{name:<20} {value:g}")
    print(f"mean error of {len(timed)} launches: {before:.1%} before, {after:.1%} now")
    print(gpu_rates.write(repository, gpu, found).relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
