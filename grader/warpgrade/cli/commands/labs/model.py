"""`warpgrade model`: predict the time of any CUDA program."""

from __future__ import annotations

import json
import math
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import screen, width
from ...error_reports import EXIT_CODES
from ...parameters import File

if TYPE_CHECKING:
    from rich.console import Console

    from ....student.predict import Prediction

_INDENT = " " * 6
_SAMPLE = 8
_ANY_ARGUMENTS = {"ignore_unknown_options": True}


@click.command(cls=ListedCommand, position=14, epilog=EXIT_CODES, context_settings=_ANY_ARGUMENTS)
@click.argument("program", type=File())
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--gpu", "gpu_model", default="h200", help="a name in grader/gpus/")
@click.option(
    "--sample", type=click.IntRange(0), default=_SAMPLE,
    help="blocks to run of each launch, for large sizes: the program's results are then wrong; 0: all",
)  # fmt: skip
@click.option(
    "--counters", type=File(),
    help="do not run PROGRAM: read counters that it wrote with WARPGRADE_COUNTERS=FILE",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="print one line of JSON for each launch")
def command(
    program: Path,
    arguments: tuple[str, ...],
    gpu_model: str,
    sample: int,
    counters: Path | None,
    as_json: bool,
) -> int:
    """Predict each launch's time and what bounds it, without a GPU.

    PROGRAM is a .cu file with a main, or a program built with
    nvcc -cudart shared --no-compress -lineinfo -gencode arch=compute_90,code=[sm_90,compute_90]
    (90: the GPU's compute capability). ARGUMENTS are the program's; put -- before them.
    """
    from ....gpu import spec
    from ....student import predict

    repository = here()
    gpu = spec.load(repository, gpu_model)
    if counters is None:
        found = predict.predict(repository, program, arguments, gpu, sample)
    else:
        predict.need_program(program)
        code = predict.machine_code(repository, program, gpu)
        found = predict.of_launches(repository, predict.read(counters), code, gpu)
    if as_json:
        for each in found:
            click.echo(json.dumps(_row(each)))
        return 0
    console = screen()
    for each in found:
        _print_launch(each, console)
    if not gpu.calibrated:
        console.print(f"{gpu.name}: rates from data sheets, never compared with a GPU of this model")
    if any(not each.exact for each in found):
        console.print(f"no machine code for {gpu.architecture} in it: modelled from PTX, which is less exact")
    return 0


def _row(each: Prediction) -> dict[str, Any]:
    launch, time = each.launch, each.time
    return {
        "kernel": launch.kernel, "launch": launch.launch, "grid": launch.grid, "block": launch.block,
        "milliseconds": time.milliseconds, "bound": time.bound, "cycles": time.cycles,
        "registers": each.registers, "warps": each.occupancy.warps if each.occupancy else None,
        "confidence": each.confidence,
        "advice": each.remedy.sentence, "factor": each.remedy.factor, "exact": each.exact,
    }  # fmt: skip


def _print_launch(each: Prediction, console: Console) -> None:
    launch, time = each.launch, each.time
    console.print(
        f"{launch.launch:>4}  {_name(launch.kernel):<24} {time.milliseconds:>12,.4f} ms  {time.bound}",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    held = f", {each.occupancy.warps} of {each.occupancy.most_warps} warps" if each.occupancy else ""
    registers = f", {each.registers} registers" if each.registers else ""
    console.print(f"      {_blocks(launch.grid)} of {_shape(launch.block)}{registers}{held}", markup=False)
    columns = (
        width(console)
        if console.is_terminal
        else max(map(len, (each.confidence, each.remedy.sentence))) + len(_INDENT) + 1
    )
    for sentence in (each.confidence, each.remedy.sentence):
        for line in textwrap.wrap(sentence, columns - len(_INDENT), break_on_hyphens=False):
            console.print(f"{_INDENT}{line}", markup=False, soft_wrap=True)


def _name(symbol: str) -> str:
    """_ZN40_GLOBAL__N__f13a_6k_cu_a5naiveEi → naive: the last name in a mangled C++ symbol."""
    name, at = symbol, 2 + symbol.startswith("_ZN")
    while symbol.startswith("_Z") and (length := re.match(r"\d+", symbol[at:])):
        at += length.end()
        name, at = symbol[at : at + int(length[0])], at + int(length[0])
    return name


def _blocks(grid: tuple[int, ...]) -> str:
    return f"{_shape(grid)} {'block' if math.prod(grid) == 1 else 'blocks'}"


def _shape(sides: tuple[int, ...]) -> str:
    while len(sides) > 1 and sides[-1] == 1:
        sides = sides[:-1]
    return "×".join(map(str, sides))
