"""The head node's loop: submit what is missing, read results, and handle tasks that died, until no result is
missing.

Only the journals say whether a submission is done. squeue only says which tasks Slurm still has; if squeue
fails, it is assumed to have all of them.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...core.errors import GraderError
from ...core.paths import text_hash
from ...records import Fault, Problem, Result
from ..progress import Meter
from ..result_file import ResultFile
from . import costs, slurm
from .settings import ClusterSettings, TaskSettings
from .tracker import Attempt, Tracker
from .troubles import Troubles
from .work_folder import EMULATE, TIME, SubmittedArray, Unit, WorkFolder

QUEUE_SECONDS = 30.0  # least time between two calls of squeue
_LOST = 3  # tasks in a row that ended before this program began: then something is wrong with every node
_LOG = 2000  # characters of a log that are shown
_NEVER = float("-inf")
_SILENT = (
    "Slurm does not answer; waiting for it. `sinfo` says whether its controller runs; Ctrl-C ends this, and "
    "the same command goes on later, or without --executor on this machine"
)


@dataclass
class Element:
    """A submitted task, from its submission until it has ended."""

    array: SubmittedArray
    number: int
    units: tuple[Unit, ...]
    gone_at: float | None = None  # when squeue no longer listed it


@dataclass(frozen=True)
class Clock:
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Dispatch:
    """Grades units on the cluster. `command`: the words that start this program on a node; the task's own
    words follow them. `results`: receives the result of every unit.
    """

    def __init__(
        self,
        units: Mapping[str, Unit],
        folder: WorkFolder,
        settings: ClusterSettings,
        command: Sequence[str],
        results: ResultFile,
        meter: Meter,
        tell: Callable[[str], None],
        clock: Clock | None = None,
    ) -> None:
        self._units, self._folder, self._settings, self._command = units, folder, settings, command
        self._meter, self._tell, self._clock = meter, tell, clock or Clock()
        self._tracker = Tracker(folder, self._begun, self._arrived)
        self.troubles = Troubles(folder, self._arrived)
        self._stages = dict.fromkeys(units, EMULATE)
        self._results = results
        self._arrays: dict[int, SubmittedArray] = {}
        self._elements: dict[tuple[int, int], Element] = {}
        self._reported_nodes: set[str] = set()  # bad nodes that were reported
        self._on_any_node: set[str] = set()  # units that may use the nodes where their tasks died
        self._lost = 0
        self._asked_at = _NEVER
        self._is_silent = False
        self._has_no_node = False  # some task had no node that is up when squeue was last called
        self._refusal = ""  # the error of sbatch, until squeue answers
        self._next_refusal_counts = False
        self._has_changed = True  # there may be something to submit
        self._name = f"warpgrade-{text_hash(str(folder.path.resolve()))[:8]}"

    def run(self) -> ResultFile:
        """Returns the results, one for every unit. GraderError if no node can grade, or if Slurm refuses the
        tasks.
        """
        self._restore()
        while True:
            self._ask_slurm()
            self._read()
            self._end_gone_tasks()
            if len(self._results) == len(self._units):
                break
            if self._has_changed:
                self._submit_missing()
            self._clock.sleep(self._settings.poll_seconds)
        self.cancel()
        return self._results

    def cancel(self) -> bool:
        """Cancel the tasks that Slurm still has. Returns whether scancel succeeded."""
        return slurm.cancel(sorted({each.array.job for each in self._elements.values() if each.array.job}))

    # --- results ---

    def _restore(self) -> None:
        """Continue with the arrays that an earlier grader submitted; the first call of squeue says which
        tasks are alive.
        """
        for array in self._folder.submitted():
            self._arrays[array.number] = array
            self._take_up(array, list(self._folder.elements(array.number)))
        if self._arrays:
            self._tell(f"taking up the {len(self._arrays)} arrays that were submitted before")

    def _take_up(self, array: SubmittedArray, elements: Sequence[tuple[Unit, ...]]) -> None:
        self._arrays[array.number] = array
        for number, units in enumerate(elements):
            self._elements[array.number, number] = Element(array, number, units)

    def _begun(self, unit: str) -> None:
        if unit in self._units and unit not in self._results:
            self._meter.begin(self._name_of(unit))

    def _arrived(self, unit: str, result: Result | None) -> None:
        self._lost = 0
        if unit not in self._units or unit in self._results:
            return  # a result of an older class, or one that arrives again and is the same
        if result is None:
            self._has_changed |= self._stages[unit] == EMULATE
            self._stages[unit] = TIME
        else:
            self._results.add(unit, result)
            self._meter.end(self._name_of(unit))

    def _name_of(self, unit: str) -> str:
        return f"{self._units[unit].student} {self._units[unit].lab}"

    # --- what Slurm has ---

    def _ask_slurm(self) -> None:
        """Call squeue, if QUEUE_SECONDS have passed since the last call."""
        now = self._clock.now()
        if not self._arrays or now - self._asked_at < QUEUE_SECONDS:
            return
        self._asked_at = now
        listed = slurm.queue()
        if (listed is None) != self._is_silent:
            self._is_silent = listed is None
            self._tell(_SILENT if listed is None else "Slurm answers again")
        if listed is not None:
            self._has_changed = True
            self._next_refusal_counts, self._refusal = bool(self._refusal), ""
            self._compare([each for each in listed if each.name.startswith(f"{self._name}.")], now)

    def _compare(self, ours: Sequence[slurm.Queued], now: float) -> None:
        """Mark the tasks that Slurm does not list. Cancel those that it holds back if no task is waiting for
        a node.
        """
        self._adopt(ours)
        alive = {(queued.job, queued.element): queued for queued in ours}
        running = {key for key, queued in alive.items() if queued.is_running}
        self._tracker.compare(lambda name: (name.job, name.element) in running, now)
        waits = any(not queued.is_running and not queued.is_kept_back for queued in ours)
        without = sum(queued.has_no_node for queued in ours)
        if without and not self._has_no_node:
            self._tell(f"no node is up that may take {without} of the tasks; `sinfo -R` says why")
        self._has_no_node = bool(without)
        for key, element in list(self._elements.items()):
            queued = alive.get((element.array.job, element.number))
            if queued is None:
                element.gone_at = now if element.gone_at is None else element.gone_at
                if not element.array.job:  # sbatch failed
                    self._over(key)
            elif (queued.is_kept_back and not waits) or (
                queued.has_no_node and self._allow_any_node(element)
            ):
                slurm.cancel([f"{queued.job}_{queued.element}"])
                self._over(key)
            else:
                element.gone_at = None
        slurm.cancel(f"{queued.job}_{queued.element}" for queued in ours if self._is_idle(queued))

    def _allow_any_node(self, element: Element) -> bool:
        """Let the units of a task use the nodes again on which their tasks died, because no other node is up.
        Returns whether that is new for a unit.
        """
        folders = {unit.folder for unit in element.units if self.troubles.nodes(unit.folder)}
        is_new = not folders <= self._on_any_node
        self._on_any_node |= folders
        return is_new

    def _is_idle(self, queued: slurm.Queued) -> bool:
        """Whether no submission of a task is missing. A controller that was killed forgets that tasks have
        ended: such tasks would occupy nodes, or run again.
        """
        number = queued.name.rpartition(".")[2]
        element = self._elements.get((int(number), queued.element)) if number.isdecimal() else None
        return element is None or not self._missing(element.units)

    def _adopt(self, ours: Iterable[slurm.Queued]) -> None:
        """Take over the jobs of arrays for which sbatch failed although Slurm accepted them."""
        for queued in ours:
            number = queued.name.rpartition(".")[2]
            array = self._arrays.get(int(number)) if number.isdecimal() else None
            if array is not None and not array.job:
                self._keep(replace(array, job=queued.job))

    def _keep(self, array: SubmittedArray) -> None:
        self._arrays[array.number] = array
        self._folder.save_array(array)
        for element in self._elements.values():
            if element.array.number == array.number:
                element.array = array

    # --- tasks that have ended ---

    def _read(self) -> None:
        for attempt in self._tracker.read(self._clock.now()):
            if attempt.end == "late" and not attempt.done:
                self._count(attempt)
            if attempt.end != "stopped":  # Slurm may start a stopped task again
                self._over(attempt.name.key)
        for node, why in self._tracker.bad_nodes.items():
            if node not in self._reported_nodes:
                self._reported_nodes.add(node)
                self._tell(f"node {node} is not used any more: {why}")

    def _end_gone_tasks(self) -> None:
        """End tasks that Slurm has not listed for so long that their journals have arrived completely."""
        before = self._clock.now() - self._settings.settle_seconds
        elements = self._elements.items()
        over = [key for key, each in elements if each.gone_at is not None and each.gone_at <= before]
        for attempt in self._tracker.died(before, over, self._is_retry):
            self._count(attempt)
        for attempt in self._tracker.silent(self._clock.now()):
            slurm.cancel([f"{attempt.name.job}_{attempt.name.element}"])
            self._count(attempt)
            self._over(attempt.name.key)
        lost = [
            key for key in over if key not in self._tracker.begun and self._missing(self._elements[key].units)
        ]
        if lost:
            self._lose(lost[0])
        for key in over:
            self._over(key)

    def _is_retry(self, array: int) -> bool:
        return array in self._arrays and self._arrays[array].is_retry

    def _count(self, attempt: Attempt) -> None:
        for unit in list(attempt.at):
            if unit in self._units and unit not in self._results:
                self.troubles.count(self._units[unit], attempt)

    def _lose(self, key: tuple[int, int]) -> None:
        """Count a task that ended before this program began in it. GraderError if several did so in a row."""
        self._lost += 1
        if self._lost < _LOST:
            return
        log = self._folder.log(*key)
        words = (
            log.read_text(encoding="utf-8", errors="replace").strip()[-_LOG:] if log else "they left no log"
        )
        raise GraderError(
            f"tasks end before they begin to grade: {words}",
            file=log or self._folder.logs,
            remedy="is the checkout at the same path on every node? docs/cluster.md says what a node needs",
        )

    def _over(self, key: tuple[int, int]) -> None:
        self._has_changed |= self._elements.pop(key, None) is not None

    # --- submissions without a result ---

    def _missing(self, units: Iterable[Unit]) -> list[Unit]:
        found = (unit.folder for unit in units)
        return [self._units[each] for each in found if each in self._units and each not in self._results]

    def _submit_missing(self) -> None:
        if self._is_silent or self._refusal or (self._elements and self._asked_at == _NEVER):
            return  # until squeue answers
        self._has_changed = False
        busy = {(each.array.stage, unit.folder) for each in self._elements.values() for unit in each.units}
        waiting: dict[str, list[Unit]] = {EMULATE: [], TIME: []}
        emulated = True
        for unit in self._missing(self._units.values()):
            stage = self._stages[unit.folder]
            emulated = emulated and stage == TIME
            if (stage, unit.folder) not in busy:
                waiting[stage].append(unit)
        self._submit(EMULATE, waiting[EMULATE])
        if emulated or len(waiting[TIME]) >= costs.chunk_length(len(self._units), self._of(TIME), TIME):
            self._submit(TIME, waiting[TIME])

    def _submit(self, stage: str, units: Sequence[Unit]) -> None:
        """Submit the units as tasks. A unit during which a task died gets a task of its own, which avoids the
        nodes of the dead tasks.
        """
        tried = [[unit] for unit in units if unit.folder in self.troubles]
        fresh = [unit for unit in units if unit.folder not in self.troubles]
        length = costs.chunk_length(len(fresh), self._of(stage), stage)
        for elements, is_retry in ((tried, True), (_chunks(fresh, length), False)):
            for start in range(0, len(elements), self._settings.largest_array):
                part = [tuple(units) for units in elements[start : start + self._settings.largest_array]]
                self._submit_array(stage, part, is_retry)

    def _of(self, stage: str) -> TaskSettings:
        return self._settings.time or self._settings.emulate if stage == TIME else self._settings.emulate

    def _submit_array(self, stage: str, elements: Sequence[tuple[Unit, ...]], is_retry: bool) -> None:
        if self._refusal:
            return
        array = SubmittedArray(max(self._arrays, default=0) + 1, stage, len(elements), is_retry)
        self._folder.save_elements(array.number, elements)
        self._folder.save_array(array)
        self._take_up(array, elements)
        bad = set(self._tracker.bad_nodes)
        folders = {unit.folder for units in elements for unit in units} - self._on_any_node
        died = {node for folder in folders for node in self.troubles.nodes(folder)}
        try:
            job = self._submitted(array, [bad | died, bad] if is_retry and died - bad else [bad])
        except slurm.SlurmRefused as error:
            self._refused(array, elements, str(error))
            return
        self._next_refusal_counts = False
        self._keep(replace(array, job=job))

    def _submitted(self, array: SubmittedArray, exclusions: Sequence[set[str]]) -> str:
        """Submit the array with the first set of excluded nodes that Slurm accepts, and return the job. Slurm
        refuses a set if no other node exists.
        """
        for excluded in exclusions[:-1]:
            try:
                return slurm.submit(self._words(array, excluded))
            except slurm.SlurmRefused:
                continue
        return slurm.submit(self._words(array, exclusions[-1]))

    def _refused(self, array: SubmittedArray, elements: Sequence[tuple[Unit, ...]], words: str) -> None:
        """sbatch failed. That is an error only if squeue answers and sbatch fails again: before, the
        controller may have been away. Until then the array counts as submitted, since Slurm may have
        accepted it.
        """
        if not self._next_refusal_counts:
            self._refusal = words
            return
        bad = "; ".join(f"{node}: {why}" for node, why in self._tracker.bad_nodes.items())
        if not bad or array.stage == EMULATE:
            raise GraderError(
                f"sbatch refuses: {words}" + (f"; nodes that cannot grade: {bad}" if bad else ""),
                remedy="correct cluster.toml or the options, and type the same again",
            )
        problem = Problem(
            Fault.GRADER, f"no node is left that can time it: {bad}", remedy="grade again on others"
        )
        for key in [key for key in self._elements if key[0] == array.number]:
            self._over(key)
        for unit in (unit for units in elements for unit in units):
            self._arrived(unit.folder, Result(unit.lab, "withheld", problem=problem))

    def _words(self, array: SubmittedArray, excluded: Iterable[str]) -> list[str]:
        stage = self._of(array.stage)
        nodes = ",".join(sorted(filter(None, excluded)))
        task = [f"--array={array.number}", f"--stage={array.stage}", f"--jobs={stage.cpus}"]
        command = [
            "exec",
            *stage.prefix,
            *self._command,
            "work",
            str(self._folder.path),
            *task,
            f"--minutes={stage.minutes}",
        ]
        return [
            f"--job-name={self._name}.{array.number}",
            f"--array=0-{array.elements - 1}%{stage.at_once}",
            f"--output={self._folder.log_pattern(array.number)}",
            "--open-mode=append",
            "--requeue",
            "--signal=B:TERM@60",
            *stage.words(),
            *([f"--exclude={nodes}"] if nodes else []),
            f"--wrap={shlex.join(command)}",
        ]


def _chunks(units: Sequence[Unit], length: int) -> list[list[Unit]]:
    """The units in tasks of this length. Equal submissions are adjacent, so that one
    task grades them once.
    """
    groups: dict[tuple[str, str], list[Unit]] = {}
    for unit in units:
        groups.setdefault((unit.lab, unit.hash), []).append(unit)
    row = [unit for group in groups.values() for unit in group]
    return [row[start : start + length] for start in range(0, len(row), length)]
