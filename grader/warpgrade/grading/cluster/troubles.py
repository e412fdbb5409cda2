"""Submissions during which tasks died: on which nodes, how often, and when a submission is given up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ...records import Fault, Problem, Result
from .tracker import Attempt
from .work_folder import JournalName, Unit, WorkFolder

MOST_DEATHS = 3  # tasks that may die during one submission


@dataclass
class _Trouble:
    last: JournalName
    deaths: int = 0
    nodes: set[str] = field(default_factory=set)


class Troubles:
    """`give_up` is called with the folder of a submission and the result that it gets instead."""

    def __init__(self, folder: WorkFolder, give_up: Callable[[str, Result], None]) -> None:
        self._folder, self._give_up = folder, give_up
        self._of: dict[str, _Trouble] = {}
        self.given_up = 0

    def __contains__(self, unit: str) -> bool:
        return unit in self._of

    def nodes(self, unit: str) -> set[str]:
        """The nodes on which a task died while it graded the submission."""
        return self._of[unit].nodes if unit in self._of else set()

    def count(self, unit: Unit, attempt: Attempt) -> None:
        """Count the death of a task that had begun this submission."""
        trouble = self._of.setdefault(unit.folder, _Trouble(attempt.name))
        trouble.last = attempt.name
        trouble.deaths += 1
        trouble.nodes.add(attempt.node)
        if trouble.deaths >= MOST_DEATHS:
            self.given_up += 1
            self._give_up(unit.folder, self._ungradable(unit, trouble))

    def _ungradable(self, unit: Unit, trouble: _Trouble) -> Result:
        log = self._folder.log(*trouble.last.key)
        problem = Problem(
            Fault.GRADER,
            f"{trouble.deaths} tasks died while they graded it, on {', '.join(sorted(trouble.nodes))}",
            str(log or self._folder.logs),
            "read the log; grade again once the cause is gone",
        )
        return Result(unit.lab, "withheld", problem=problem)
