"""Runs this program once on each node that has a GPU: one job for each node, whose result is a file.

Only the file says that a job is done. squeue only says which jobs Slurm still has; if squeue fails, it is
assumed to have all of them.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...core.errors import GraderError
from . import slurm
from .dispatch import QUEUE_SECONDS, Clock
from .settings import ClusterSettings, TaskSettings

_NAME = "warpgrade-node"
_LOG = 600  # characters of a log that are shown


@dataclass(frozen=True)
class NodeFiles:
    """The results of the jobs: the file of each node that is done, and for the other nodes the reason why
    there is none.
    """

    files: Mapping[str, Path]
    troubles: Mapping[str, str] = field(default_factory=dict)


@dataclass
class _Waiting:
    file: Path
    job: str
    gone_at: float | None = None  # when squeue no longer listed it


class NodeJobs:
    """`folder`: on a file system that the nodes share. `command`: the words that start this program there."""

    def __init__(
        self,
        folder: Path,
        settings: ClusterSettings,
        command: Sequence[str],
        tell: Callable[[str], None],
        clock: Clock | None = None,
    ) -> None:
        self._folder, self._settings, self._command = folder.resolve(), settings, command
        self._tell, self._clock = tell, clock or Clock()
        self._waiting: dict[str, _Waiting] = {}
        self._files: dict[str, Path] = {}
        self._troubles: dict[str, str] = {}

    def run(self, words: Sequence[str]) -> NodeFiles:
        """Wait until each job has written its file or is gone. The last of the job's words is the file's
        name.

        GraderError if no node has a GPU. An exception, such as Ctrl-C, cancels the jobs.
        """
        task = self._settings.time or self._settings.emulate
        nodes = slurm.gpu_nodes(task.partition)
        if not nodes:
            place = f"partition {task.partition}" if task.partition else "the cluster"
            raise GraderError(
                f"no node of {place} has a GPU that is up",
                remedy='type `sinfo --Node --format="%N %G %t"`, and see partition in cluster.toml',
            )
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            for node in nodes:
                self._submit(node, task, words)
            self._tell(f"waiting for {', '.join(self._waiting) or 'no node'}")
            self._wait()
        except BaseException:
            slurm.cancel(each.job for each in self._waiting.values())
            raise
        return NodeFiles(dict(self._files), dict(self._troubles))

    def _submit(self, node: str, task: TaskSettings, words: Sequence[str]) -> None:
        file = self._folder / f"{node}.json"
        file.unlink(missing_ok=True)
        command = ["exec", *task.prefix, *self._command, *words, str(file)]
        try:
            job = slurm.submit(
                [
                    f"--job-name={_NAME}.{node}",
                    "--array=0-0",  # queue() lists elements of arrays
                    f"--output={self._log(node)}",
                    "--open-mode=truncate",
                    "--no-requeue",
                    *task.words(),
                    f"--nodelist={node}",
                    f"--wrap={shlex.join(command)}",
                ]
            )
        except slurm.SlurmRefused as error:
            self._troubles[node] = f"sbatch refuses it: {error}"
            return
        self._waiting[node] = _Waiting(file, job)

    def _wait(self) -> None:
        asked_at = self._clock.now()
        while self._waiting:
            for node in [node for node, each in self._waiting.items() if each.file.is_file()]:
                self._files[node] = self._waiting.pop(node).file
                self._tell(f"{node} is done")
            if self._clock.now() - asked_at >= QUEUE_SECONDS:
                asked_at = self._clock.now()
                self._ask_slurm()
            if self._waiting:
                self._clock.sleep(self._settings.poll_seconds)

    def _ask_slurm(self) -> None:
        """Give up jobs that squeue has not listed for as long as a file may take to become visible here."""
        queue = slurm.queue()
        if queue is None:
            return
        listed, now = {each.job for each in queue}, self._clock.now()
        for node, each in list(self._waiting.items()):
            if each.job in listed:
                each.gone_at = None
            elif each.gone_at is None:
                each.gone_at = now
            elif now - each.gone_at >= self._settings.settle_seconds and not each.file.is_file():
                del self._waiting[node]
                self._troubles[node] = self._last_words(node)

    def _log(self, node: str) -> Path:
        return self._folder / f"{node}.log"

    def _last_words(self, node: str) -> str:
        log = self._log(node)
        text = log.read_text(encoding="utf-8", errors="replace").strip() if log.is_file() else ""
        return f"its job ended without a result ({log}): {text[-_LOG:] or 'the log is empty'}"
