"""`warpgrade spread`: the spread of one kernel's points for speed."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ....core.errors import UsageError
from ....core.paths import here
from ....records import Lab, Size
from ...command_groups import ListedCommand
from ...error_reports import EXIT_CODES
from ...parameters import File, LabName, sandbox_option


@click.command(cls=ListedCommand, position=6, epilog=EXIT_CODES)
@click.argument("lab_name", metavar="LAB", type=LabName())
@click.argument("file", required=False, type=File())
@click.option("--times", type=click.IntRange(2), default=20, help="number of gradings")
@click.option("--size", "words", multiple=True, help="the parameters, as 1024x1024; default: the lab's own")
@sandbox_option
@click.option("--json", "as_json", is_flag=True)
def command(
    lab_name: str, file: Path | None, times: int, words: tuple[str, ...], sandbox: str, as_json: bool
) -> int:
    """Measure how far repeated gradings of one kernel's speed differ.

    Runs on this GPU. FILE is timed against the solution; without FILE, the solution against itself.
    """
    from ....build import compiler
    from ....course import lab
    from ....grading.session import Options, prepare
    from ....run.harness import HarnessJob
    from ....staff import spread
    from ....submission.admit import from_file

    repository = here()
    session = prepare(repository, [lab.named(repository, lab_name)], Options("gpu", sandbox, measured=True))
    prepared = session.prepared_labs[0]
    fatbin = prepared.reference.fatbin
    if file is not None:
        folder = repository.root / "build" / "spread"
        compiler.build(from_file(file, prepared.lab, "spread"), prepared.lab, session.compiler, folder)
        fatbin = folder / compiler.FATBIN
    sizes = tuple(_size(word, prepared.lab) for word in words) or prepared.lab.performance.gpu_sizes
    if fatbin is None:
        raise UsageError("this copy of the course has no solution", remedy="name a file")
    job = HarnessJob(prepared.lab, fatbin, prepared.data, device="gpu", reference=prepared.reference.fatbin)
    for found in spread.measure(prepared, job, sizes, times, session):
        if as_json:
            click.echo(json.dumps({"lab": found.lab, "size": found.size, "ratios": found.ratios,
                                   "points": found.points, "whole": found.whole,
                                   "middle_half": found.middle_half}))  # fmt: skip
        else:
            name = "x".join(map(str, found.size))
            click.echo(f"{found.lab} {name}: {times} gradings differ by {found.whole:.3f} points, "
                       f"the middle half by {found.middle_half:.3f}")  # fmt: skip
    return 0


def _size(word: str, lab: Lab) -> Size:
    sides = tuple(int(side) for side in word.split("x") if side.isdigit())
    if len(sides) != len(lab.parameters):
        names = "x".join(lab.parameter_names)
        raise UsageError(
            f"{word!r} is not a size", remedy=f"write {names} as {'x'.join(['1024'] * len(lab.parameters))}"
        )
    return sides
