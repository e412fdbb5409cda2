"""`warpgrade similar`: which hand-ins of a lab are too much alike."""

from __future__ import annotations

from pathlib import Path

import click

from ....core import formatting
from ....core.paths import here
from ...command_groups import ListedCommand
from ...console import near
from ...error_reports import EXIT_CODES
from ...parameters import File, LabName, jobs_option, sandbox_option

_SHOWN = 20


@click.command(cls=ListedCommand, position=16, epilog=EXIT_CODES)
@click.argument("name", metavar="LAB", type=LabName())
@click.option("--with", "others", multiple=True, type=File(),
              help="also compare with this folder: an earlier term's, or one of kernels")  # fmt: skip
@click.option("--out", type=File(), help="the term's folder; default: build/grades")
@jobs_option("known kernels compiled in parallel; default: one per core")
@sandbox_option
def command(name: str, others: tuple[Path, ...], out: Path | None, jobs: int, sandbox: str) -> int:
    """Show which hand-ins of a lab are too much alike.

    Compares what nvcc made of them and their sources with one another, with the course's solutions and with
    the folders named. Writes a page with clusters, and pairs side by side. It is a hint for a person to read,
    and changes no grade.
    """
    from ....build import toolkit
    from ....build.compiler import Compiler
    from ....course import lab
    from ....grading import saved_grades
    from ....sandbox import choice
    from ....similarity import collection, comparison, page

    repository = here()
    out = out or repository.grades
    chosen = lab.named(repository, name)
    compiler = Compiler(repository, toolkit.find(repository), choice.chosen(sandbox))
    found = collection.collect(chosen, compiler, out, others, jobs)
    compared = comparison.compared(found.documents)
    path = page.write(saved_grades.load(out), chosen, compared, out)
    if compared.too_small:
        click.echo(
            f"{chosen.name} is too small to tell: most hand-ins have hardly anything of their own. "
            "If its solutions are long, most of the class may have one source: read some of them"
        )
    for group in compared.identical[:_SHOWN]:
        click.echo(f"the same text: {', '.join(each.name for each in group)}")
    for pair in compared.pairs[:_SHOWN]:
        click.echo(f"{pair.score:.2f}  {pair.one.name}  {pair.other.name}")
    if found.unread:
        click.echo(f"not compared, as reading takes too long: {', '.join(found.unread)}")
    above = f"above {comparison.THRESHOLD}: {near(path)}"
    pairs = formatting.amount(len(compared.pairs), "pair")
    click.echo(f"{pairs} of {formatting.amount(compared.documents, 'hand-in')} {above}")
    return 0
