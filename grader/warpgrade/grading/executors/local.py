"""Grades a class on the cores of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ...core.concurrency.bounded_work import as_completed
from ...sandbox import process
from ..cluster.node_jobs import NodeFiles
from ..jobs import Job, equal_ones, grade_equal
from ..progress import Meter
from ..result_file import ResultFile
from ..session import Options, Session
from . import ExecutorOptions


class LocalExecutor:
    def adapted(self, options: Options) -> Options:
        return options

    def on_gpu_nodes(self, words: Sequence[str], folder: Path) -> NodeFiles | None:
        return None

    def grade(self, jobs: Sequence[Job], out: Path, session: Session, meter: Meter) -> ResultFile:
        results = ResultFile(out)

        def grade(group: Sequence[Job]) -> None:
            for job, result in grade_equal(group, session, lambda job: meter.begin(job.name)):
                results.add(job.about.folder, result)
                meter.end(job.name)

        with ThreadPoolExecutor(session.jobs) as pool:
            try:
                for _ in as_completed(pool, grade, equal_ones(jobs)):
                    pass
            except BaseException:
                process.stop_all()
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return results


def executor(options: ExecutorOptions) -> LocalExecutor:
    return LocalExecutor()
