"""What a submission and a task cost on a cluster (costs.toml), and how long a task should be."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from pathlib import Path

from ...core import toml
from ...core.errors import UsageError
from .settings import TaskSettings
from .work_folder import TIME

_FILE = Path(__file__).with_name("costs.toml")
_SCHEMA = Path(__file__).with_name("costs.schema.json")
_LONGEST = 600.0  # seconds of a task: what is lost when its node dies
_ROUNDS = 4  # tasks for each that runs at a time, so that all end at about the same time
_GPU_JOBS = 1  # submissions that a GPU times at once


@dataclass(frozen=True)
class Costs:
    """Times in seconds, except `starts`: the number of tasks that Slurm starts in a second."""

    compile: float
    emulate: float
    time: float
    start: float
    starts: float
    delay: float
    admit: float
    report: float

    def submission(self, stage: str, cpus: int) -> float:
        """The seconds that a task takes for one of its many submissions."""
        return self.time / _GPU_JOBS if stage == TIME else (self.compile + self.emulate) / cpus


@functools.cache
def load(file: Path = _FILE) -> Costs:
    """The costs in a file. UsageError if it is missing, InstructorError with the line of a mistake."""
    if not file.exists():
        raise UsageError("is missing", file=file, remedy=f"{_FILE} is an example")
    tables = toml.load(file, _SCHEMA).data
    return Costs(**{name: value for table in tables.values() for name, value in table.items()})


def chunk_length(submissions: int, task: TaskSettings, stage: str, costs: Costs | None = None) -> int:
    """The number of submissions in a task. If the settings name none: so many that starting the task takes at
    most half of its time, that all tasks end at about the same time, and that no task takes more than ten
    minutes.
    """
    if task.chunk:
        return task.chunk
    costs = costs or load()
    each = max(costs.submission(stage, task.cpus), 0.001)
    even = math.ceil(submissions / (_ROUNDS * task.at_once))
    least, most = math.ceil(costs.start / each), int(min(_LONGEST, 20.0 * task.minutes) / each)
    return max(1, min(max(even, least), most))
