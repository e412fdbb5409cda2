"""Grades a class on the cores of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path

from ...records import Result
from ...sandbox import process
from ..cluster.node_jobs import NodeFiles
from ..jobs import Job, equal_ones, grade_equal
from ..progress import Meter
from ..session import Options, Session
from . import ExecutorOptions


class LocalExecutor:
    def adapted(self, options: Options) -> Options:
        return options

    def on_gpu_nodes(self, words: Sequence[str], folder: Path) -> NodeFiles | None:
        return None

    def grade(self, jobs: Sequence[Job], out: Path, session: Session, meter: Meter) -> dict[Job, Result]:
        results: dict[Job, Result] = {}
        with ThreadPoolExecutor(session.jobs) as pool:
            futures: dict[Future[list[tuple[Job, Result]]], None] = {}
            try:
                for group in equal_ones(jobs):
                    futures[pool.submit(_graded, group, session, meter)] = None
                for future in as_completed(futures):
                    results.update(future.result())
            except BaseException:
                process.stop_all()
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return results


def executor(options: ExecutorOptions) -> LocalExecutor:
    return LocalExecutor()


def _graded(group: Sequence[Job], session: Session, meter: Meter) -> list[tuple[Job, Result]]:
    results = []
    for job, result in grade_equal(group, session, lambda job: meter.begin(job.name)):
        results.append((job, result))
        meter.end(job.name)
    return results
