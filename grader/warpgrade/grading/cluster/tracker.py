"""What the journals of all tasks say: results, submissions that are being graded,
tasks that died, bad nodes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...core.journal import JournalReader
from ...records import Result
from .work_folder import JournalName, WorkFolder
from .worker import result_of

_SILENT = 120.0  # seconds without a line after which a task is dead: file servers show one a minute late
_EMPTY_TASKS = 3  # tasks in a row that died on a node before they finished a submission: the node is bad


@dataclass
class Attempt:
    """One start of a task, as its journal describes it. `at`: submissions that it has
    begun and not finished.
    """

    name: JournalName
    reader: JournalReader
    node: str = ""
    at: dict[str, None] = field(default_factory=dict)
    done: int = 0
    end: str = ""  # the end that its journal names: "finished", "unfit", "stopped" or "late"
    gone_at: float | None = None  # when Slurm no longer ran it
    heard_at: float = 0.0  # when its journal last grew


class Tracker:
    """`on_begin` and `on_result` are called with the folder of a submission. on_result() gets no result if a
    GPU must continue the submission.
    """

    def __init__(
        self,
        folder: WorkFolder,
        on_begin: Callable[[str], None],
        on_result: Callable[[str, Result | None], None],
    ) -> None:
        self._folder, self._on_begin, self._on_result = folder, on_begin, on_result
        self._open: dict[JournalName, Attempt] = {}
        self._known: set[JournalName] = set()
        self._streaks: dict[str, int] = {}
        self.begun: set[tuple[int, int]] = set()  # elements that have a journal
        self.bad_nodes: dict[str, str] = {}  # with the reason

    def read(self, now: float) -> list[Attempt]:
        """Read the new lines of all journals. Returns the attempts whose journals say that
        they have ended.
        """
        for name in sorted(self._new_names(), key=str):
            self._known.add(name)
            self.begun.add(name.key)
            self._open[name] = Attempt(name, JournalReader(self._folder.done / str(name)), heard_at=now)
        for attempt in self._open.values():
            for row in attempt.reader.rows():
                attempt.heard_at = now
                self._take(row, attempt)
        ended = [attempt for attempt in self._open.values() if attempt.end]
        for attempt in ended:
            del self._open[attempt.name]
        return ended

    def compare(self, is_running: Callable[[JournalName], bool], now: float) -> None:
        """Note which attempts Slurm runs no longer. `is_running`: whether it ran the attempt at a moment
        after the last read().
        """
        for attempt in self._open.values():
            if is_running(attempt.name) and not self._was_restarted(attempt.name):
                attempt.gone_at = None
            elif attempt.gone_at is None:
                attempt.gone_at = now

    def silent(self, now: float) -> list[Attempt]:
        """Attempts whose journals have not grown for a while, each once: Slurm may take long to notice that a
        node is gone.
        """
        found = [each for each in self._open.values() if now - each.heard_at > _SILENT]
        for attempt in found:
            del self._open[attempt.name]
        return found

    def died(
        self, before: float, over: Container[tuple[int, int]], is_retry: Callable[[int], bool]
    ) -> Iterator[Attempt]:
        """Attempts that were gone at the time `before`, or whose task is over, though their journals name no
        end. Each is returned once.

        `is_retry`: whether an array holds only submissions during which tasks died before. If such a task
        dies, the node is not blamed.
        """
        for attempt in list(self._open.values()):
            is_gone = attempt.gone_at is not None and attempt.gone_at <= before
            if is_gone or attempt.name.key in over:
                del self._open[attempt.name]
                if not is_retry(attempt.name.array):
                    self._blame(attempt)
                yield attempt

    def _new_names(self) -> set[JournalName]:
        try:
            with os.scandir(self._folder.done) as entries:
                found = {JournalName.of(entry.name) for entry in entries}
        except OSError:  # the file server does not answer
            return set()
        return {name for name in found if name is not None} - self._known

    def _was_restarted(self, name: JournalName) -> bool:
        return JournalName(name.array, name.element, name.job, name.restart + 1) in self._known

    def _take(self, row: dict[str, Any], attempt: Attempt) -> None:
        if "node" in row:
            attempt.node = str(row["node"])
        elif "begin" in row:
            attempt.at[row["begin"]] = None
            self._on_begin(row["begin"])
        elif "end" in row:
            attempt.at.pop(row["end"], None)
            attempt.done += 1
            self._streaks[attempt.node] = 0
            self._on_result(row["end"], result_of(row))
        elif "unfit" in row:
            attempt.end = "unfit"
            self.bad_nodes.setdefault(attempt.node, str(row["unfit"]))
        elif "stopped" in row:
            attempt.end = "late" if row["stopped"] else "stopped"
        elif "finished" in row:
            attempt.end = "finished"

    def _blame(self, attempt: Attempt) -> None:
        streak = 0 if attempt.done else self._streaks.get(attempt.node, 0) + 1
        self._streaks[attempt.node] = streak
        if streak >= _EMPTY_TASKS:
            why = f"{streak} tasks in a row died there before a submission was graded"
            self.bad_nodes.setdefault(attempt.node, why)
