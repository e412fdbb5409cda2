"""Where the submissions of a class are graded: a module for each executor, which `--executor` names.

Each module has a function `executor(options)`. Nothing else in the grader knows which one is used.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ..cluster.node_jobs import NodeFiles
from ..jobs import Job
from ..progress import Meter
from ..result_file import ResultFile
from ..session import Options, Session

LOCAL = "local"  # the default


@dataclass(frozen=True)
class ExecutorOptions:
    """What the command line says about the executor.

    `command`: the words that start this program, also on another machine. `tell`: shows a person a sentence
    while the class is graded. `file`, `settings`: of the cluster, see cluster/settings.py.
    """

    command: tuple[str, ...]
    tell: Callable[[str], None]
    file: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    leave_running: bool = False  # what is submitted elsewhere, when this program is stopped


class Executor(Protocol):
    def adapted(self, options: Options) -> Options:
        """What the session of this machine must be prepared with."""

    def on_gpu_nodes(self, words: Sequence[str], folder: Path) -> NodeFiles | None:
        """This program with `words` and the name of a file in `folder`, once on each node that has a GPU.
        None: there is no machine but this one."""

    def grade(self, jobs: Sequence[Job], out: Path, session: Session, meter: Meter) -> ResultFile:
        """The result of every job, by its folder. Stages are saved below `out`; the same again continues."""


def names() -> list[str]:
    """Values of --executor."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def named(name: str, options: ExecutorOptions) -> Executor:
    made: Executor = importlib.import_module(f"{__name__}.{name}").executor(options)
    return made
