"""How long a class takes on a cluster: its tasks, put one by one on the nodes, with the costs of costs.toml.

The model has what costs time: the head node reads the class and writes the pages, Slurm starts so many tasks
a second, a task starts its program, compiles and emulates, and a GPU times what was emulated. It has no other
user and no failure.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .costs import Costs, chunk_length
from .settings import TaskSettings
from .work_folder import EMULATE, TIME

_LENGTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class ClusterSize:
    nodes: int
    cpus: int  # of a node
    gpus: int = 0  # of all nodes; 0: times are modelled


@dataclass(frozen=True)
class Plan:
    """Seconds. `bottleneck`: the part that is busy for the longest time."""

    chunk: int
    admission: float
    emulation: float  # from the first sbatch until the last submission is emulated
    timing: float  # from there until the last one is timed
    report: float
    parts: dict[str, float]  # how long each part is busy, were it alone

    @property
    def seconds(self) -> float:
        return self.admission + self.emulation + self.timing + self.report

    @property
    def bottleneck(self) -> str:
        return max(self.parts, key=lambda name: self.parts[name])


def plan(submissions: int, size: ClusterSize, task: TaskSettings, costs: Costs) -> Plan:
    """The plan for tasks of the length that the settings name or the executor would choose."""
    slots = size.nodes * max(1, size.cpus // task.cpus)
    task = replace(task, at_once=min(task.at_once, slots))
    length = chunk_length(submissions, task, EMULATE, costs)
    ends = _ends(submissions, length, task.at_once, costs.submission(EMULATE, task.cpus), [0.0], costs)
    emulated = max(ends, default=0.0)
    timed = _timed(ends, submissions, length, size.gpus, task, costs) if size.gpus else emulated
    gpu_work = submissions * costs.time / size.gpus if size.gpus else 0.0
    tasks = len(ends)
    cores = max(1, task.at_once)
    return Plan(
        chunk=length,
        admission=submissions * costs.admit,
        emulation=emulated,
        timing=max(0.0, timed - emulated),
        report=submissions * costs.report,
        parts={
            "the head node, which reads the class and writes its pages": submissions
            * (costs.admit + costs.report),
            "Slurm, which starts the tasks": tasks / costs.starts,
            "starting the program in each task": tasks * costs.start / cores,
            "compiling": submissions * costs.compile / task.cpus / cores,
            "emulating": submissions * costs.emulate / task.cpus / cores,
            **({"timing on the GPUs": gpu_work} if size.gpus else {}),
        },
    )


def best_length(submissions: int, size: ClusterSize, task: TaskSettings, costs: Costs) -> Plan:
    """The plan with the length of a task that ends first; among equal ones, the shortest length."""
    lengths = (length for length in _LENGTHS if length <= max(1, submissions))
    plans = (plan(submissions, size, replace(task, chunk=length), costs) for length in lengths)
    return min(plans, key=lambda each: (round(each.seconds, 3), each.chunk))


def _ends(
    submissions: int, length: int, slots: int, each: float, ready: Iterable[float], costs: Costs
) -> list[float]:
    """The end of each task. `ready`: when the first tasks can begin; later ones begin
    as slots become free.
    """
    free = [0.0] * slots
    begins = list(ready)
    ends, left, number = [], submissions, 0
    while left > 0:
        now = min(length, left)
        allowed = (
            begins[min(number, len(begins) - 1)]
            + costs.delay
            + (number / costs.starts if len(begins) == 1 else 0.0)
        )
        end = max(heapq.heappop(free), allowed) + costs.start + now * each
        heapq.heappush(free, end)
        ends.append(end)
        left -= now
        number += 1
    return ends


def _timed(
    ends: list[float], submissions: int, length: int, gpus: int, task: TaskSettings, costs: Costs
) -> float:
    """When the last submission is timed: a task for a GPU begins once enough submissions are emulated."""
    wanted = chunk_length(submissions, replace(task, at_once=gpus, chunk=0), TIME, costs)
    there = sorted(ends)
    needed = (min(submissions, (number + 1) * wanted) for number in range(-(-submissions // wanted)))
    ready = [there[min(len(there), -(-count // length)) - 1] for count in needed]
    return max(_ends(submissions, wanted, gpus, costs.submission(TIME, task.cpus), ready, costs), default=0.0)
