"""`warpgrade calibrate`: times of the solutions on this machine's GPU."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.errors import ExitCode
from ....core.paths import here, typed
from ...command_groups import ListedCommand
from ...error_reports import EXIT_CODES
from ...parameters import File, LabName, sandbox_option


@click.command(cls=ListedCommand, position=5, epilog=EXIT_CODES)
@click.option("--check", "only_check", is_flag=True, help="measure nothing; exit code 3 if a row is stale")
@click.option("--lab", "names", multiple=True, type=LabName(), help="this lab only; with --check")
@click.option(
    "--model", "gpu_model", default="", help="a name in grader/gpus/: measure that GPU's rates instead"
)
@click.option(
    "--rates", type=File(), help="with --model: rates that the microbenchmarks wrote; nothing is run"
)
@sandbox_option
def command(
    only_check: bool, names: tuple[str, ...], gpu_model: str, rates: Path | None, sandbox: str
) -> int:
    """Time the solutions on this machine's GPU.

    Writes datasets/reference-timings/GPU.json: time, spread, clocks, driver, toolkit, hashes. Run it once for
    each model of GPU, and again when --check lists stale rows. With --model: the rates and latencies of the
    model of time, into grader/gpus/MODEL.toml.
    """
    if gpu_model:
        return _rates(gpu_model, rates)
    from ....course import lab, work
    from ....grading.session import Options, prepare
    from ....run.timed_launch import size_name
    from ....staff import calibrate

    repository = here()
    labs = [lab.named(repository, name) for name in names] or lab.find(repository)
    session = prepare(repository, labs, Options("emulator" if only_check else "gpu", sandbox, measured=True))
    if only_check:
        found = calibrate.stale(repository, session)
        for line in found:
            click.echo(line)
        click.echo(f"{typed('calibrate')} on that GPU" if found else "no row is stale")
        return ExitCode.INSTRUCTOR if found else ExitCode.DONE
    conditions, rows = calibrate.measure(session)
    for row in rows:
        name = f"{row.lab} {size_name(row.size)}"
        timed = next(each for each in labs if each.name == row.lab)
        rate, unit = work.rate(timed, row.size, row.milliseconds), work.unit(timed)
        click.echo(f"{name:<36} {row.milliseconds:10.4f} ms  {rate:10,.1f} {unit:<7}  ±{row.spread:.2%}")
    path = calibrate.write(repository, conditions, rows)
    click.echo(str(path.relative_to(repository.root)))
    return 0


def _rates(model: str, file: Path | None) -> int:
    """Measure the rates of that GPU, or read them, and write them into its data sheet."""
    from ....gpu import spec
    from ....staff import gpu_rates

    repository = here()
    gpu = spec.load(repository, model)
    text = file.read_text(encoding="utf-8") if file else gpu_rates.measure(repository, gpu)
    found = gpu_rates.constants(gpu_rates.read(text), gpu)
    if not file:
        click.echo(f"{gpu_rates.keep(repository, gpu, text)}   what was measured: --rates reads it again")
    for name, value in found.items():
        click.echo(f"{name:<20} {value:g}")
    click.echo(str(gpu_rates.write(repository, gpu, found).relative_to(repository.root)))
    return 0
