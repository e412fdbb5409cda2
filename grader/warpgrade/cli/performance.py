"""The commands about time: model predicts it without a GPU; calibrate and spread measure it on one."""

from __future__ import annotations

import json
import math
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import UsageError
from ..core.paths import here, typed
from ..sandbox.bubblewrap import KINDS
from .console import EXIT_CODES, File, LabName, screen, told, width

if TYPE_CHECKING:
    from rich.console import Console

    from ..staff.predict import Prediction

_INDENT = " " * 6
_SAMPLE = 8
_STALE = 3
_ANY_ARGUMENTS = {"ignore_unknown_options": True}


@click.command("model", epilog=EXIT_CODES, context_settings=_ANY_ARGUMENTS)
@click.argument("program", type=File())
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--gpu", "gpu_model", default="h200", help="a name in grader/gpus/")
@click.option(
    "--sample", type=click.IntRange(0), default=_SAMPLE,
    help="run only so many blocks of each launch, which makes large sizes quick but results wrong; 0: all",
)  # fmt: skip
@click.option(
    "--counters", type=File(),
    help="do not run: take what WARPGRADE_COUNTERS=FILE left behind, and machine code from PROGRAM",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="one JSON line a launch")
@told
def model(
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
    from ..build import sass
    from ..gpu import spec
    from ..staff import predict as prediction

    repository = here()
    card = spec.load(repository, gpu_model)
    if counters is None:
        found = prediction.predict(repository, program, arguments, card, sample)
    else:
        code = sass.of_program(program.read_bytes(), card.architecture)
        found = prediction.of_launches(prediction.read(counters), code, card)
    if as_json:
        for each in found:
            click.echo(json.dumps(_row(each)))
        return 0
    console = screen()
    for each in found:
        _tell(each, console)
    if not card.calibrated:
        console.print(f"{card.name}: rates from data sheets, never compared with a card")
    if any(not each.exact for each in found):
        console.print(f"no machine code for {card.architecture} in it: counted as PTX, which is less exact")
    return 0


def _row(each: Prediction) -> dict[str, Any]:
    launch, time = each.launch, each.time
    return {
        "kernel": launch.kernel, "launch": launch.launch, "grid": launch.grid, "block": launch.block,
        "milliseconds": time.milliseconds, "bound": time.bound, "cycles": time.cycles,
        "registers": each.registers, "warps": each.occupancy.warps if each.occupancy else None,
        "advice": each.remedy.sentence, "factor": each.remedy.factor, "exact": each.exact,
    }  # fmt: skip


def _tell(each: Prediction, console: Console) -> None:
    launch, time = each.launch, each.time
    console.print(
        f"{launch.launch:>4}  {_name(launch.kernel):<24} {time.milliseconds:>12,.4f} ms  {time.bound}",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    held = f", {each.occupancy.warps} of {each.occupancy.most_warps} warps" if each.occupancy else ""
    registers = f", {each.registers} registers" if each.registers else ""
    console.print(f"      {_blocks(launch.grid)} of {_shape(launch.block)}{registers}{held}", markup=False)
    room = width(console) if console.is_terminal else len(each.remedy.sentence) + len(_INDENT) + 1
    for line in textwrap.wrap(each.remedy.sentence, room - len(_INDENT), break_on_hyphens=False):
        console.print(f"{_INDENT}{line}", markup=False, soft_wrap=True)


def _name(symbol: str) -> str:
    """_ZN40_GLOBAL__N__f13a_6k_cu_a5naiveEi → naive: the last of the names that a C++ symbol holds."""
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


@click.command("calibrate", epilog=EXIT_CODES)
@click.option("--check", "only_check", is_flag=True, help="measure nothing; exit code 3 if a row is stale")
@click.option("--lab", "names", multiple=True, type=LabName(), help="this lab only; with --check")
@click.option("--sandbox", "walls", type=click.Choice(KINDS), default="bwrap")
@told
def calibrate(only_check: bool, names: tuple[str, ...], walls: str) -> int:
    """Time the solutions on this machine's GPU.

    Writes datasets/reference-timings/GPU.json: time, spread, clocks, driver, toolkit, hashes. A course on
    another GPU runs it once there, and again when --check says that something changed.
    """
    from ..course import lab
    from ..grading import session
    from ..run import run
    from ..staff import calibrate as measuring  # not in a students' copy

    repository = here()
    labs = [lab.named(repository, name) for name in names] or lab.find(repository)
    shop = session.prepare(
        repository, labs, session.Wish("emulator" if only_check else "gpu", walls, measured=True)
    )
    if only_check:
        found = measuring.stale(repository, shop)
        for line in found:
            click.echo(line)
        click.echo(f"{typed('calibrate')} on that GPU" if found else "every row is as it was measured")
        return _STALE if found else 0
    conditions, rows = measuring.measure(shop)
    for row in rows:
        name = f"{row.lab} {run.size_name(row.size)}"
        click.echo(f"{name:<36} {row.milliseconds:10.4f} ms  {row.gflops:10,.1f} GFLOP/s  ±{row.spread:.2%}")
    path = measuring.write(repository, conditions, rows)
    click.echo(str(path.relative_to(repository.root)))
    return 0


@click.command("spread", epilog=EXIT_CODES)
@click.argument("lab_name", metavar="LAB", type=LabName())
@click.argument("file", required=False, type=File())
@click.option("--times", type=click.IntRange(2), default=20, help="gradings")
@click.option("--size", "words", multiple=True, help="m×n×k as 1024x1024x1024; default: the lab's own")
@click.option("--sandbox", "walls", type=click.Choice(KINDS), default="bwrap")
@click.option("--json", "as_json", is_flag=True)
@told
def spread(
    lab_name: str, file: Path | None, times: int, words: tuple[str, ...], walls: str, as_json: bool
) -> int:
    """By how many points do gradings of one kernel's speed differ?

    They are made again and again, on this GPU.

    FILE is timed against the solution; without it, the solution against itself.
    """
    from ..build import compiler
    from ..course import lab
    from ..grading import session
    from ..run.harness import Order
    from ..staff import spread as measuring
    from ..submission.admit import from_file

    repository = here()
    shop = session.prepare(
        repository, [lab.named(repository, lab_name)], session.Wish("gpu", walls, measured=True)
    )
    place = shop.places[0]
    fatbin = place.reference.fatbin
    if file is not None:
        folder = repository.root / "build" / "spread"
        compiler.build(from_file(file, place.lab, "spread"), place.lab, shop.compiler, folder)
        fatbin = folder / compiler.FATBIN
    sizes = tuple(_size(word) for word in words) or place.lab.performance.gpu_sizes
    if fatbin is None:
        raise UsageError("there is no solution in this copy of the course", remedy="name a file")
    order = Order(place.lab, fatbin, place.data, device="gpu", reference=place.reference.fatbin)
    for found in measuring.measure(place, order, sizes, times, shop):
        if as_json:
            click.echo(json.dumps({"lab": found.lab, "size": found.size, "ratios": found.ratios,
                                   "points": found.points, "whole": found.whole,
                                   "middle_half": found.middle_half}))  # fmt: skip
        else:
            name = "x".join(map(str, found.size))
            click.echo(f"{found.lab} {name}: {times} gradings differ by {found.whole:.3f} points, "
                       f"the middle half by {found.middle_half:.3f}")  # fmt: skip
    return 0


def _size(word: str) -> tuple[int, int, int]:
    sides = tuple(int(side) for side in word.split("x") if side.isdigit())
    if len(sides) != 3:
        raise UsageError(f"{word!r} is no size", remedy="write it as 1024x1024x1024: m, n, k")
    return sides[0], sides[1], sides[2]


def commands() -> list[click.Command]:
    return [model]


def staff_commands() -> list[click.Command]:
    """Not in a students' copy."""
    return [calibrate, spread]
