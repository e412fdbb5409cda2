"""The files through which the head node and the tasks of a class work together, below the output folder.

    request.json                        what a task prepares its session with
    arrays/<array>.json                 a submitted array: its stage, and its number in Slurm
    arrays/<array>.jsonl                its elements, a line each: the submissions of one task
    done/<array>.<element>.<job>.<restart>.jsonl   the journal of one task, see worker.py
    logs/<array>.<element>.<node>.log   what it printed

The head node alone writes the first three; each task has a journal of its own. A result counts when its line
is complete, so it makes no difference who runs a submission, how often, or what Slurm says of it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ...core import scratch, store
from ...core.errors import GraderError

EMULATE, TIME = "emulate", "time"  # the stages: all that needs no GPU, and what does


@dataclass(frozen=True)
class Unit:
    """A submission as a task gets it. `folder`: below the output folder, for its stages; its name identifies
    the submission and all that its result depends on.
    """

    lab: str
    student: str
    hash: str
    folder: str


@dataclass(frozen=True)
class WorkRequest:
    """What a task needs to prepare its session. `fingerprints`: for each lab a hash of all that a run depends
    on; a task whose tools differ grades nothing.
    """

    root: str
    sandbox: str
    gpu_model: str
    device: str
    device_name: str
    sanitizer: bool
    fingerprints: dict[str, str]


@dataclass(frozen=True)
class SubmittedArray:
    number: int
    stage: str
    elements: int
    is_retry: bool  # of submissions during which a task died
    job: str = ""  # in Slurm; empty until sbatch has answered


@dataclass(frozen=True)
class WorkFolder:
    path: Path

    @property
    def done(self) -> Path:
        return self.path / "done"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def arrays(self) -> Path:
        return self.path / "arrays"

    def request(self) -> WorkRequest:
        """GraderError where it cannot be read."""
        found = store.load(self.path, "request", None, WorkRequest)
        if found is None:
            raise GraderError(
                "cannot be read", file=self.path / "request.json",
                remedy="is the folder shared with this node? Grade again",
            )  # fmt: skip
        return found

    def is_for(self, request: WorkRequest) -> bool:
        return store.load(self.path, "request", None, WorkRequest) == request

    def make(self, request: WorkRequest) -> None:
        """Create the folder, and remove what an earlier one held."""
        scratch.remove(self.path)
        for folder in (self.path, self.done, self.logs, self.arrays):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)  # who can write here decides grades
        store.save(self.path, "request", "", request)

    def remove(self, but_logs: bool) -> None:
        for path in (
            self.path / "request.json",
            self.arrays,
            self.done,
            *(() if but_logs else (self.logs, self.path)),
        ):
            path.unlink(missing_ok=True) if path.is_file() else scratch.remove(path)

    # --- arrays ---

    def save_array(self, array: SubmittedArray) -> None:
        store.save(self.arrays, str(array.number), "", array)

    def save_elements(self, number: int, elements: Sequence[Sequence[Unit]]) -> None:
        rows = (json.dumps([asdict(unit) for unit in units], ensure_ascii=False) + "\n" for units in elements)
        store.write_pieces(self.arrays / f"{number}.jsonl", rows)

    def submitted(self) -> list[SubmittedArray]:
        """The submitted arrays, ordered by number."""
        names = sorted(int(path.stem) for path in self.arrays.glob("*.json") if path.stem.isdecimal())
        found = (store.load(self.arrays, str(name), None, SubmittedArray) for name in names)
        return [array for array in found if array is not None]

    def elements(self, number: int) -> Iterator[tuple[Unit, ...]]:
        with (self.arrays / f"{number}.jsonl").open(encoding="utf-8") as stream:
            for line in stream:
                yield tuple(Unit(**row) for row in json.loads(line))

    def element(self, array: int, number: int) -> tuple[Unit, ...]:
        """The units of one task. GraderError if there is no such task."""
        try:
            return next(itertools.islice(self.elements(array), number, None))
        except (OSError, StopIteration, ValueError, TypeError):
            raise GraderError(
                f"element {number} of array {array} cannot be read", file=self.arrays, remedy="grade again"
            ) from None

    # --- logs ---

    def log_pattern(self, array: int) -> Path:
        """The name of the log, in which sbatch fills in the task and the node."""
        return self.logs / f"{array}.%a.%N.log"

    def log(self, array: int, element: int) -> Path | None:
        """The log of a task; None if it printed nothing, or if the log has not arrived."""
        return max(
            self.logs.glob(f"{array}.{element}.*.log"), key=lambda path: path.stat().st_mtime, default=None
        )


@dataclass(frozen=True)
class JournalName:
    """The parts of a journal's name: one for each time that Slurm starts an element."""

    array: int
    element: int
    job: str
    restart: int

    @property
    def key(self) -> tuple[int, int]:
        """Array and element."""
        return self.array, self.element

    def __str__(self) -> str:
        return f"{self.array}.{self.element}.{self.job}.{self.restart}.jsonl"

    @classmethod
    def of(cls, name: str) -> JournalName | None:
        """The name that a file name stands for; None for other files."""
        words = name.split(".")
        if len(words) != 5 or words[4] != "jsonl" or not all(map(str.isdecimal, words[:4])):
            return None
        return cls(int(words[0]), int(words[1]), words[2], int(words[3]))
