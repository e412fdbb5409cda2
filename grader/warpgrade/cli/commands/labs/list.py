"""`warpgrade list`: the labs and a student's progress."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ....core.paths import Repository, here
from ...command_groups import ListedCommand
from ...console import escape, next_step, screen, width

if TYPE_CHECKING:
    from rich.console import Console

    from ....records import Lab
    from ....student.progress import Progress


@click.command(cls=ListedCommand, position=3)
@click.option("--points", "in_numbers", is_flag=True, help="show what each lab gives points for")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead")
def command(in_numbers: bool, as_json: bool) -> int:
    """List the labs and your progress."""
    from ....course import lab

    repository, console = here(), screen()
    labs = lab.find(repository)
    if as_json:
        click.echo(json.dumps({"labs": [_lab_data(repository, item) for item in labs]}, ensure_ascii=False))
    elif in_numbers:
        for item in labs:
            console.print(f"[bold]{item.name}[/]  {escape(item.title)}", soft_wrap=True)
            console.print(f"  {_in_numbers(item)}", soft_wrap=True)
    else:
        _list_progress(repository, labs, console)
    return 0


def _list_progress(repository: Repository, labs: tuple[Lab, ...], console: Console) -> None:
    from rich.text import Text

    from ....student import progress

    done = [progress.read(repository, item.name) for item in labs]
    states = [_state(item, progress) for item, progress in zip(labs, done, strict=True)]
    name_width = max(len(item.name) for item in labs)
    title_width = max(10, width(console) - name_width - 4 - max(len(Text.from_markup(s)) for s in states))
    title_width = min(title_width, max(len(item.title) for item in labs))
    for item, state in zip(labs, states, strict=True):
        title = item.title if len(item.title) <= title_width else item.title[: title_width - 1] + "…"
        console.print(f"{item.name:<{name_width}}  {escape(title):<{title_width}}  {state}", soft_wrap=True)
    left = [item.name for item, progress in zip(labs, done, strict=True) if not _is_full(item, progress)]
    if left:
        next_step(console, "continue with", f"check {left[0]}")
    else:
        next_step(console, "full points everywhere; make the archive to hand in", "pack")


def _is_full(item: Lab, done: Progress) -> bool:
    return done.points is not None and done.points >= item.practice_points


def _state(item: Lab, done: Progress) -> str:
    from ....core.formatting import points

    if done.points is None:
        return "[dim]not checked yet[/]"
    colour = "green" if _is_full(item, done) else "yellow"
    earned = f"{points(done.points)}/{points(item.practice_points)}"
    return f"[{colour}]{earned:>8}[/] points  {done.passed}/{done.cases} cases"


def _lab_data(repository: Repository, item: Lab) -> dict[str, Any]:
    from ....student import progress

    done = progress.read(repository, item.name)
    return {
        "name": item.name,
        "title": item.title,
        "teaches": item.teaches,
        "possible": item.practice_points,
        "points": done.points,
        "passed": done.passed,
        "cases": len(item.cases),
    }


def _in_numbers(item: Lab) -> str:
    from ....core.formatting import points

    hidden = sum(case.visibility == "hidden" for case in item.cases)
    correct = sum(case.points for case in item.cases)
    technique = sum(technique.points for technique in item.techniques)
    fault = sum(fault.named + fault.repaired for fault in item.faults)
    faults = f"fault {points(fault)}, " if fault else ""
    return (
        f"{len(item.cases)} cases ({hidden} hidden); build {points(item.build_points)}, "
        f"correct {points(correct)}, technique {points(technique)}, {faults}"
        f"performance {points(item.performance.points)} points"
    )
