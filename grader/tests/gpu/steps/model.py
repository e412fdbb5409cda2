"""Kernels that the performance model was not fitted to: predicted, measured, counted by Nsight Compute."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .frame import ROOT, WORK, NotRun, StepContext

MODEL = Path(__file__).parents[1] / "model"
NVCC = ("-O3", "-std=c++17", "-cudart", "shared", "--no-compress", "-lineinfo")
METRICS = (
    "gpu__time_duration.sum", "smsp__inst_executed.sum", "smsp__inst_executed_op_shared_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts.sum",
    "sm__inst_issued.avg.pct_of_peak_sustained_active", "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed", "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct", "dram__bytes.sum",
)  # fmt: skip
PROGRAMS = (
    ("products", ("4096",)),
    ("others", (str(1 << 26),)),
    ("course", (str(1 << 26),)),
    ("atomics", (str(1 << 22),)),
    ("tensor", ("2048",)),
    ("practice", (str(1 << 26),)),
    ("homework", (str(1 << 26),)),
    ("exam", (str(1 << 26),)),
    ("resit", (str(1 << 26),)),
    ("retake", (str(1 << 26),)),
    ("appeal", (str(1 << 26),)),
    ("finals", (str(1 << 26),)),
    ("encore", (str(1 << 26),)),
    ("tutorial", (str(1 << 26),)),
    ("workshop", (str(1 << 26),)),
)
Programs = list[tuple[Path, tuple[str, ...]]]


def programs() -> Programs:
    """The kernels of model/, compiled side by side, and the arguments that make them large."""

    def built(row: tuple[str, tuple[str, ...]]) -> tuple[Path, tuple[str, ...]]:
        name, arguments = row
        return compiled(MODEL / f"{name}.cu", WORK / "programs" / name), arguments

    with ThreadPoolExecutor(len(PROGRAMS)) as pool:
        return list(pool.map(built, PROGRAMS))


def compiled(source: Path, program: Path) -> Path:
    """The program, for the GPU at hand. NotRun without a GPU or nvcc, or if nvcc refuses it."""
    nvcc = ROOT / ".deps/cuda/bin/nvcc"
    if shutil.which("nvidia-smi") is None or not nvcc.is_file():
        raise NotRun("needs nvidia-smi, which names the GPU to compile for, and nvcc")
    compute = subprocess.run(
        ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True
    ).stdout.split()
    if not compute:
        raise NotRun("nvidia-smi lists no GPU")
    number = compute[0].replace(".", "")
    target = f"arch=compute_{number},code=[sm_{number},compute_{number}]"
    program.parent.mkdir(parents=True, exist_ok=True)
    command = [str(nvcc), *NVCC, "-gencode", target, "-o", str(program), str(source)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        raise NotRun(f"nvcc does not compile {source.name}: {ran.stderr.strip()[-300:]}")
    return program


def predictions(context: StepContext) -> list[list[dict[str, Any]]]:
    """The predictions for each program's launches."""
    found = []
    for program, arguments in context.ahead.result(programs):
        output = context.warpgrade("model", "--json", str(program), "--", *arguments, "1")
        found.append([json.loads(line) for line in output.splitlines() if line.startswith("{")])
    return found


def on_the_card() -> dict[str, str]:
    """The environment of a program that finds NVIDIA's runtime beside the compiler."""
    return {**os.environ, "LD_LIBRARY_PATH": str((ROOT / ".deps/cuda/lib64").resolve())}


def model(context: StepContext) -> None:
    """Predicted on the emulator, before anything is measured."""
    rows = []
    expected = context.ahead.result(predictions, context)
    for (program, arguments), predicted in zip(context.ahead.result(programs), expected, strict=True):
        ran = subprocess.run([program, *arguments, "7"], capture_output=True, text=True, env=on_the_card())
        measured = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
        for one, other in zip(predicted, measured, strict=False):
            if "milliseconds" in other:
                by_model = {"modelled": one["milliseconds"], "bound": one["bound"]}
                rows.append(other | by_model | {"of": program.name, "arguments": arguments})
    errors: dict[str, list[float]] = {}
    for row in rows:
        error = row["modelled"] / row["milliseconds"] - 1
        errors.setdefault(row["of"], []).append(abs(error))
        context.report(f"  {row['kernel']:<20} measured {row['milliseconds']:9.4f} ms, modelled "
                     f"{row['modelled']:9.4f} ms, {error:+.0%}, {row['bound']}")  # fmt: skip
    for name, found in errors.items():
        context.report(f"  {name}: mean error {sum(found) / len(found):.1%}")
    (context.out / "model.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def counters(context: StepContext) -> None:
    if shutil.which("ncu") is None:
        raise NotRun("Nsight Compute (ncu) is not installed")
    for program, arguments in context.ahead.result(programs):
        command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--metrics", ",".join(METRICS)]
        ran = subprocess.run(
            [*command, str(program), *arguments, "1"], capture_output=True, text=True, env=on_the_card()
        )
        (context.out / f"ncu-{program.name}.csv").write_text(ran.stdout, encoding="utf-8")
        if ran.returncode != 0:
            raise NotRun(f"ncu ended with {ran.returncode}: {ran.stdout.strip()[-300:]}")
        context.report(f"  {program.name}: {ran.stdout.count(chr(10))} lines")
