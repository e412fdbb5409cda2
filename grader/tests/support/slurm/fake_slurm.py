"""A Slurm that does what a test tells it: it takes arrays, lists them, and starts nothing by itself."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from warpgrade.core.journal import JournalWriter
from warpgrade.core.serialize import to_data
from warpgrade.grading.cluster import slurm
from warpgrade.grading.cluster.dispatch import Clock
from warpgrade.grading.cluster.slurm import Queued, SlurmRefused
from warpgrade.grading.cluster.work_folder import JournalName, Unit, WorkFolder
from warpgrade.records import Result


@dataclass
class FakeArray:
    words: tuple[str, ...]
    number: int  # ours
    stage: str
    elements: list[tuple[Unit, ...]]
    job: str
    # Of what squeue lists: "PD", "R", "kept", or "no node".
    states: dict[int, str] = field(default_factory=dict)

    def option(self, name: str) -> str:
        return next((word.partition("=")[2] for word in self.words if word.startswith(f"--{name}=")), "")

    @property
    def folders(self) -> list[list[str]]:
        return [[unit.folder for unit in units] for units in self.elements]


class FakeSlurm:
    """Set as the functions of cluster/slurm.py. `script` is advanced once each time the dispatch sleeps."""

    def __init__(self, folder: WorkFolder) -> None:
        self.folder = folder
        self.arrays: list[FakeArray] = []
        self.cancelled: list[str] = []
        self.asked: list[float] = []
        self.is_away = False
        self.loses_answers = False  # sbatch fails after Slurm has taken the array
        self.refusal = ""
        self.excludable: set[str] | None = None  # nodes without which sbatch takes nothing
        self.now = 0.0
        self.script: Iterator[None] = iter(())
        self.pace = 31.0  # seconds of a sleep: squeue is called each time

    def clock(self) -> Clock:
        return Clock(lambda: self.now, self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.now += self.pace
        if self.now > 10_000:
            raise AssertionError("nothing happens any more")
        next(self.script, None)

    # --- the commands ---

    def submit(self, words: Sequence[str]) -> str:
        if self.is_away:
            raise SlurmRefused("unable to contact the controller")
        excluded = {node for word in words if word.startswith("--exclude=") for node in word[10:].split(",")}
        if self.refusal or (self.excludable is not None and excluded >= self.excludable):
            raise SlurmRefused(self.refusal or "no node is left")
        job = self._take(words)
        if self.loses_answers:
            raise SlurmRefused("timed out")
        return job

    def _take(self, words: Sequence[str]) -> str:
        wrap = shlex.split(next(word for word in words if word.startswith("--wrap="))[7:])
        given = dict(word[2:].split("=") for word in wrap if word.startswith("--") and "=" in word)
        number = int(given["array"])
        made = FakeArray(
            tuple(words),
            number,
            given["stage"],
            list(self.folder.elements(number)),
            str(100 + len(self.arrays)),
        )
        made.states = dict.fromkeys(range(len(made.elements)), "PD")
        self.arrays.append(made)
        return made.job

    def queue(self) -> tuple[Queued, ...] | None:
        self.asked.append(self.now)
        if self.is_away:
            return None
        return tuple(
            Queued(
                array.job,
                element,
                array.option("job-name"),
                state == "R",
                state == "kept",
                state == "no node",
            )
            for array in self.arrays
            for element, state in array.states.items()
        )

    def cancel(self, jobs: Sequence[str]) -> bool:
        self.cancelled += jobs
        for array in self.arrays:
            for job in jobs:
                if job == array.job:
                    array.states.clear()
                elif job.startswith(f"{array.job}_"):
                    array.states.pop(int(job.rpartition("_")[2]), None)
        return not self.is_away

    def install(self, replace: Callable[[object, str, object], None]) -> None:
        for name in ("submit", "queue", "cancel"):
            replace(slurm, name, getattr(self, name))

    # --- what tasks do ---

    def start(self, array: FakeArray, element: int = 0, node: str = "n1", restart: int = 0) -> JournalWriter:
        array.states[element] = "R"
        journal = JournalWriter(
            self.folder.done / str(JournalName(array.number, element, array.job, restart))
        )
        journal.write(node=node)
        return journal

    def complete(self, array: FakeArray, element: int = 0, node: str = "n1", restart: int = 0) -> None:
        """Start the element, and have all of it graded."""
        journal = self.start(array, element, node, restart)
        for unit in array.elements[element]:
            grade(journal, unit)
        journal.write(finished=True)
        array.states.pop(element)

    def die(self, array: FakeArray, element: int = 0, node: str = "n1", at: int = 0) -> None:
        """Start the element, grade `at` submissions, begin the next one, and end without a word."""
        journal = self.start(array, element, node)
        for unit in array.elements[element][:at]:
            grade(journal, unit)
        journal.write(begin=array.elements[element][at].folder)
        array.states.pop(element)


def grade(journal: JournalWriter, unit: Unit) -> None:
    journal.write(begin=unit.folder)
    journal.write(end=unit.folder, result=to_data(Result(unit.lab, "graded")))
