"""The options about where submissions are graded: --executor, and those of a cluster."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .console import aside
from .parameters import File

if TYPE_CHECKING:
    from ..grading.executors import Executor

_FOLDER = Path(__file__).parents[1] / "grading" / "executors"  # listed, since an import of it takes long
_NAMES = sorted(path.stem for path in _FOLDER.glob("[a-z]*.py"))
_HANDED_ON = ("WARPGRADE_OUTPUT", "PYTHONPYCACHEPREFIX")


def executor_options(command: Callable[..., int]) -> Callable[..., int]:
    """--executor and its options. The command gets `executor`, a function that makes the Executor."""

    @functools.wraps(command)
    def wrapped(
        *args: Any,
        executor: str,
        cluster: Path | None,
        partition: str,
        account: str,
        minutes: int | None,
        constraint: str,
        slurm_options: tuple[str, ...],
        if_stopped: str,
        **others: Any,
    ) -> int:
        given = {
            "partition": partition, "account": account, "minutes": minutes, "constraint": constraint,
            "options": slurm_options,
        }  # fmt: skip
        make = functools.partial(_made, executor, cluster, given, if_stopped == "leave")
        return command(*args, executor=make, **others)

    for decorate in reversed(_OPTIONS):
        wrapped = decorate(wrapped)
    return wrapped


_OPTIONS = (
    click.option(
        "--executor", type=click.Choice(_NAMES), default="local", help="where submissions are graded"
    ),
    click.option("--cluster", type=File(), help="what a task may take; default: cluster.toml"),
    click.option("--partition", default="", help="of the cluster"),
    click.option("--account", default="", help="of the cluster"),
    click.option("--minutes", type=click.IntRange(5), help="time limit of a task on the cluster"),
    click.option("--constraint", default="", help="of a node of the cluster, such as h200"),
    click.option("--slurm-option", "slurm_options", multiple=True, help="any other option of sbatch"),
    click.option(
        "--if-stopped",
        type=click.Choice(("cancel", "leave")),
        default="cancel",
        help="after Ctrl-C: cancel the tasks on the cluster, or leave them running",
    ),
)


def _made(name: str, cluster: Path | None, given: Mapping[str, Any], leave_running: bool) -> Executor:
    from ..core.paths import here
    from ..grading import executors

    kept = {name: value for name in _HANDED_ON if (value := os.environ.get(name))}
    kept |= {"PYTHONPATH": str(Path(__file__).parents[2]), "WARPGRADE_ROOT": str(here().root.resolve())}
    words = ("env", *(f"{name}={value}" for name, value in kept.items()), sys.executable, "-m", "warpgrade")
    return executors.named(name, executors.ExecutorOptions(words, _tell, cluster, given, leave_running))


def _tell(sentence: str) -> None:
    aside().print(sentence, soft_wrap=True, markup=False)
