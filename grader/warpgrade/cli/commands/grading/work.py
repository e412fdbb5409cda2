"""`warpgrade work`: what a task on a cluster runs."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ....core.errors import ExitCode, UsageError
from ... import class_output
from ...command_groups import ListedCommand
from ...parameters import File


@click.command(cls=ListedCommand, position=18, hidden=True)
@click.argument("folder", type=File())
@click.option("--array", type=click.IntRange(1), required=True)
@click.option("--stage", required=True)
@click.option("--jobs", type=click.IntRange(1, 256), default=1)
@click.option("--minutes", type=click.IntRange(1), default=60)
def command(folder: Path, array: int, stage: str, jobs: int, minutes: int) -> int:
    """Grade the submissions of one task of `grade --executor slurm`, which submits this command."""
    from ....grading.cluster.work_folder import JournalName, WorkFolder
    from ....grading.cluster.worker import Task, work

    def number(name: str, default: str = "") -> int:
        value = os.environ.get(name, default)
        if not value.isdecimal():
            raise UsageError(f"{name} is not set: Slurm starts this command", remedy="sbatch --array=0-…")
        return int(value)

    name = JournalName(
        array,
        number("SLURM_ARRAY_TASK_ID"),
        str(number("SLURM_ARRAY_JOB_ID")),
        number("SLURM_RESTART_COUNT", "0"),
    )
    task = Task(name, stage, os.environ.get("SLURMD_NODENAME", ""), jobs, 60.0 * minutes)
    with class_output.stoppable():
        return ExitCode.DONE if work(WorkFolder(folder), task) else ExitCode.GRADER
