"""`warpgrade players`: pages that step through the findings of a graded class."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.errors import UsageError
from ....core.paths import here
from ... import class_output
from ...command_groups import ListedCommand
from ...console import near, screen
from ...parameters import File, LabName, sandbox_option


@click.command(cls=ListedCommand, position=19, resumable=True)
@click.option("--lab", "name", type=LabName(), help="findings of this lab only")
@click.option("--student", default="", help="findings of this student only")
@click.option("--out", type=File(), help="default: build/grades")
@sandbox_option
def command(name: str | None, student: str, out: Path | None, sandbox: str) -> int:
    """Make a page for each finding, to step through.

    Takes a few seconds for each. The class's page and the students' pages then link to them. Only visible
    cases are recorded, with the values that students have.
    """
    from ....build import toolkit
    from ....build.compiler import Compiler
    from ....grading import saved_grades
    from ....player import class_players
    from ....run.harness import RunnerConfig
    from ....sandbox import choice

    repository, console = here(), screen()
    out = out or repository.grades
    with saved_grades.reopened(out) as grades:
        if student and student not in {each.id for each in grades.students}:
            raise UsageError(
                f"no student {student!r} in these grades", file=out, remedy="leave out --student"
            )
        wanted = [
            each for each in class_players.missing(grades, out, student) if name in (None, each.lab.name)
        ]
        tools, sandbox = toolkit.find(repository), choice.chosen(sandbox)
        compiler = Compiler(repository, tools, sandbox)
        runner = RunnerConfig(repository, tools, sandbox)
        for each in wanted:
            why = class_players.make(each, compiler, runner, out)
            text = f"{each.student} {each.lab.name} finding {each.number}: {why or near(out / each.name)}"
            console.print(text, markup=False, soft_wrap=True)
        class_output.write(grades, out)
    console.print(f"pages: {near(out / 'index.html')}", markup=False, soft_wrap=True)
    return 0
