"""`warpgrade mutants`: mutation testing of a lab's cases."""

from __future__ import annotations

import click

from ....core.errors import ExitCode, UsageError
from ....core.paths import here, typed
from ...command_groups import ListedCommand
from ...error_reports import EXIT_CODES
from ...parameters import LabName, jobs_option

_REPORT_EVERY = 50  # mutants between two lines of progress


@click.command(cls=ListedCommand, position=3, epilog=EXIT_CODES)
@click.argument("name", metavar="LAB", type=LabName())
@click.option("--auto", is_flag=True, expose_value=False, help="systematic mutants of the solution")
@jobs_option("mutants judged in parallel; default: one per core")
def command(name: str, jobs: int) -> int:
    """Find wrong variants of the solution that get full points.

    Each mutant has one change. A survivor shows that a case is missing, or it is equivalent to the solution.
    List equivalent ones, with the reason, in solutions/LAB/equivalents.toml. Exit code 3 if more than 1 % are
    unexplained.
    """
    from ....course import lab
    from ....grading.session import Options, prepare
    from ....records import LabKind
    from ....staff import mutation_test

    repository = here()
    chosen = lab.named(repository, name)
    if chosen.kind in (LabKind.ANSWERS, LabKind.PROGRAM):
        raise UsageError(
            f"{chosen.name} is a lab of {chosen.kind.value}: only kernels are changed line by line",
            remedy=f"see what it still lacks: {typed(f'lab check {chosen.name}')}",
        )
    session = prepare(repository, [chosen], Options("emulator", jobs=jobs, fresh=True))
    found = mutation_test.outcomes(session.prepared_labs[0], session, _report_progress)
    counts = {
        outcome: sum(item.outcome == outcome for item in found)
        for outcome in sorted({f.outcome for f in found})
    }
    left = mutation_test.unexplained(found)
    for item in left:
        file = f"{item.mutant.file}: " if len(chosen.files) > 1 else ""
        click.echo(
            f"{file}line {item.mutant.line}, {item.mutant.rule}, {item.outcome}: {item.reason}".rstrip(": ")
        )
        click.echo(f"  - {item.mutant.before}\n  + {item.mutant.after}")
    words = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    click.echo(f"{name}: {len(found)} mutants: {words}")
    is_covered = len(left) <= mutation_test.MOST_UNEXPLAINED * len(found)
    return ExitCode.DONE if is_covered else ExitCode.INSTRUCTOR


def _report_progress(done: int, total: int) -> None:
    if done % _REPORT_EVERY == 0:
        click.echo(f"{done} of {total} mutants", err=True)
