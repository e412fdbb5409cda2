"""`warpgrade mutants`: what becomes of a lab's own wrong variants, and of systematic ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ....core.errors import ExitCode, UsageError
from ....core.paths import here, typed
from ...command_groups import ListedCommand
from ...error_reports import EXIT_CODES
from ...parameters import LabName, jobs_option

if TYPE_CHECKING:
    from ....grading.session import PreparedLab, Session

_REPORT_EVERY = 50  # mutants between two lines of progress


@click.command(cls=ListedCommand, position=3, epilog=EXIT_CODES)
@click.argument("name", metavar="LAB", type=LabName())
@click.option("--auto", is_flag=True, help="systematic mutants of the solution, in place of your own")
@jobs_option("mutants judged in parallel; default: one per core")
def command(name: str, auto: bool, jobs: int) -> int:
    """Find wrong variants of the solution that get full points.

    Grades each of solutions/LAB/mutants.toml, the solution and the skeleton: each mutant must lose points
    for the reason that it states, the solution earn everything, the skeleton its build points. Exit code 3
    if one does not.

    With --auto, each mutant has one change. A survivor shows that a case is missing, or it is equivalent to
    the solution. List equivalent ones, with the reason, in solutions/LAB/equivalents.toml. Exit code 3 if
    more than 1 % are unexplained.
    """
    from ....course import lab
    from ....grading.session import Options, prepare
    from ....records import LabKind

    repository = here()
    chosen = lab.named(repository, name)
    if chosen.kind is LabKind.ANSWERS or (auto and chosen.kind is LabKind.PROGRAM):
        only = "only kernels are changed line by line" if auto else "it has no mutants"
        raise UsageError(
            f"{chosen.name} is a lab of {chosen.kind.value}: {only}",
            remedy=f"see what it still lacks: {typed(f'lab check {chosen.name}')}",
        )
    session = prepare(repository, [chosen], Options("emulator", jobs=jobs, fresh=True))
    judge = _systematic if auto else _own
    return ExitCode.DONE if judge(session.prepared_labs[0], session) else ExitCode.INSTRUCTOR


def _own(prepared: PreparedLab, session: Session) -> bool:
    from ....solution import planted_bugs
    from ....staff import promises

    broken = promises.broken(prepared, session, _report_progress)
    for each in broken:
        place = f"{each.file}:{each.line}" if each.line else each.file
        click.echo(f"{place}: {each.message}\n  → {each.remedy}")
    name = prepared.lab.name
    count = len(planted_bugs.load(session.repository, name))
    click.echo(f"{name}: the solution, the skeleton and {count} mutants: {len(broken)} not as they should be")
    return not broken


def _systematic(prepared: PreparedLab, session: Session) -> bool:
    from ....staff import mutation_test

    found = mutation_test.outcomes(prepared, session, _report_progress)
    counts = {
        outcome: sum(item.outcome == outcome for item in found)
        for outcome in sorted({f.outcome for f in found})
    }
    left = mutation_test.unexplained(found)
    for item in left:
        file = f"{item.mutant.file}: " if len(prepared.lab.files) > 1 else ""
        click.echo(
            f"{file}line {item.mutant.line}, {item.mutant.rule}, {item.outcome}: {item.reason}".rstrip(": ")
        )
        click.echo(f"  - {item.mutant.before}\n  + {item.mutant.after}")
    words = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    click.echo(f"{prepared.lab.name}: {len(found)} mutants: {words}")
    return len(left) <= mutation_test.MOST_UNEXPLAINED * len(found)


def _report_progress(done: int, total: int) -> None:
    if done % _REPORT_EVERY == 0:
        click.echo(f"{done} of {total} mutants", err=True)
