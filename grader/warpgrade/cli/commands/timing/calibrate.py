"""`warpgrade calibrate`: times of the solutions on this machine's GPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core.errors import ExitCode
from ....core.paths import here, typed
from ...command_groups import ListedCommand
from ...error_reports import EXIT_CODES
from ...executor_options import executor_options
from ...parameters import File, LabName, sandbox_option

if TYPE_CHECKING:
    from ....grading.cluster.node_jobs import NodeFiles
    from ....grading.executors import Executor
    from ....grading.session import Session


@click.command(cls=ListedCommand, position=5, epilog=EXIT_CODES)
@click.option("--check", "only_check", is_flag=True, help="measure nothing; exit code 3 if a row is stale")
@click.option("--lab", "names", multiple=True, type=LabName(), help="this lab only; with --check")
@click.option(
    "--model", "gpu_model", default="", help="a name in grader/gpus/: measure that GPU's rates instead"
)
@click.option(
    "--rates", type=File(), help="with --model: rates that the microbenchmarks wrote; nothing is run"
)
@click.option("--into", type=File(), hidden=True, help="write the timings into this file: on a node")
@sandbox_option
@executor_options
def command(
    only_check: bool,
    names: tuple[str, ...],
    gpu_model: str,
    rates: Path | None,
    into: Path | None,
    sandbox: str,
    executor: Callable[[], Executor],
) -> int:
    """Time the solutions on this machine's GPU or a cluster's.

    Writes datasets/reference-timings/GPU.json: time, spread, clocks, driver, toolkit, hashes. Run it once for
    each model of GPU, and again when --check lists stale rows. With --model: the rates and latencies of the
    model of time, into grader/gpus/MODEL.toml. With --executor slurm: nodes with GPUs of the same model are
    compared with each other, and the timings of the one in the middle are written.
    """
    if gpu_model:
        return _rates(gpu_model, rates)
    from ....course import lab
    from ....grading.session import Options, prepare

    repository = here()
    if not only_check:
        words = ("calibrate", "--sandbox", sandbox, "--into")
        on_nodes = executor().on_gpu_nodes(words, repository.output / "calibrate")
        if on_nodes is not None:
            return _of_nodes(on_nodes)
    labs = [lab.named(repository, name) for name in names] or lab.find(repository)
    session = prepare(repository, labs, Options("emulator" if only_check else "gpu", sandbox, measured=True))
    return _stale(session) if only_check else _measured(session, into)


def _stale(session: Session) -> int:
    """Name the rows that are stale. Exit code 3 if there are any."""
    from ....staff import calibrate

    found = calibrate.stale(session.repository, session)
    for line in found:
        click.echo(line)
    click.echo(f"{typed('calibrate')} on that GPU" if found else "no row is stale")
    return ExitCode.INSTRUCTOR if found else ExitCode.DONE


def _measured(session: Session, into: Path | None) -> int:
    """Measure, and write the timings into that file; by default where the course keeps them."""
    from ....course import work
    from ....run.timed_launch import size_name
    from ....staff import calibrate

    conditions, rows = calibrate.measure(session)
    for row in rows:
        name = f"{row.lab} {size_name(row.size)}"
        timed = next(each for each in session.labs if each.name == row.lab)
        rate, unit = work.rate(timed, row.size, row.milliseconds), work.unit(timed)
        click.echo(f"{name:<36} {row.milliseconds:10.4f} ms  {rate:10,.1f} {unit:<7}  ±{row.spread:.2%}")
    if into:
        calibrate.write_into(into, conditions, rows)
    else:
        path = calibrate.write(session.repository, conditions, rows)
        click.echo(str(path.relative_to(session.repository.root)))
    return ExitCode.DONE


def _of_nodes(found: NodeFiles) -> int:
    """Compare the nodes, and write the timings of each type. Exit code 4 if a node is off or failed."""
    from ....staff import compared_nodes

    repository = here()
    timings = compared_nodes.read(found.files)
    types = compared_nodes.compare(timings)
    for each in types:
        click.echo(each.gpu)
        for node in each.nodes:
            is_alone = len(each.nodes) == 1 or not node.lab
            much = "nothing to compare with" if is_alone else f"at most {node.off:+.1%} in {node.lab}"
            odd = (
                ""
                if node.is_even
                else f'   differs: options = ["--exclude={node.node}"] in [gpu] leaves it out'
            )
            click.echo(f"  {node.node:<20} {much}{odd}")
        path = compared_nodes.write(repository, timings[each.nodes[0].node])
        click.echo(f"  {path.relative_to(repository.root)}: the timings of {each.nodes[0].node}")
    for name, why in found.troubles.items():
        click.echo(f"{name}: not measured: {why}", err=True)
    is_even = all(node.is_even for each in types for node in each.nodes)
    return ExitCode.DONE if is_even and not found.troubles else ExitCode.GRADER


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
