"""A task of a Slurm array: it prepares a session, grades its submissions, and keeps a journal.

    {"node": …}              it began
    {"begin": folder}        a submission is begun
    {"end": folder, …}       its result, or that a GPU must go on with it
    {"unfit": why}           this node cannot grade; nothing was begun
    {"alive": true}          once in a while
    {"stopped": is_late}     it received a signal to end: from the time limit, or from somebody
    {"finished": true}       every submission of the task has its line

If a journal does not grow any more, and has none of "unfit", "stopped" and "finished", its task has died. A
submission that it had begun may be the cause.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ...core.concurrency.periodic import every
from ...core.errors import GraderError, WarpgradeError
from ...core.journal import JournalWriter
from ...core.paths import Repository
from ...core.serialize import from_data, to_data
from ...course import lab
from ...records import Result
from ...sandbox import process
from ..jobs import Job, equal_ones, grade_equal
from ..pipeline import WAITING
from ..session import Options, Session, prepare
from .work_folder import EMULATE, TIME, JournalName, Unit, WorkFolder, WorkRequest

PULSE = 15.0  # seconds between two signs of life
_EARLY = 150.0  # seconds before its time limit at which Slurm tells a task to end, at most


@dataclass(frozen=True)
class Task:
    """Where and for how long Slurm runs it."""

    name: JournalName
    stage: str
    node: str
    jobs: int  # submissions at a time
    seconds: float  # its time limit


def work(folder: WorkFolder, task: Task) -> bool:
    """Grade the submissions of a task. Whether this node could."""
    begun = time.monotonic()
    journal = JournalWriter(folder.done / str(task.name))
    journal.write(node=task.node)
    with every(PULSE, lambda: journal.write(alive=True)):  # whatever the task is busy with
        return _work(folder, task, journal, begun)


def _work(folder: WorkFolder, task: Task, journal: JournalWriter, begun: float) -> bool:
    try:
        request, units = folder.request(), folder.element(task.name.array, task.name.element)
        session = _session(request, units, task)
    except WarpgradeError as error:
        journal.write(unfit=str(error))
        return False
    try:
        _grade_all(folder.path.parent, units, session, journal)
    except (KeyboardInterrupt, process.Stopped):
        journal.write(stopped=time.monotonic() - begun >= task.seconds - _EARLY)
        raise
    journal.write(finished=True)
    return True


def _session(request: WorkRequest, units: Sequence[Unit], task: Task) -> Session:
    """The session of this node. GraderError where its results would not be those of the head node."""
    repository = Repository(Path(request.root))
    labs = [lab.named(repository, name) for name in sorted({unit.lab for unit in units})]
    times_elsewhere = request.device == "gpu" and task.stage == EMULATE
    options = Options(
        request.device, request.sandbox, request.gpu_model, task.jobs, request.sanitizer,
        times_elsewhere=times_elsewhere, cores=task.jobs, fresh=True,
    )  # fmt: skip
    session = prepare(repository, labs, options)
    if task.stage == TIME and session.setting.device_name != request.device_name:
        raise GraderError(
            f"its GPU is {session.setting.device_name}; times count on {request.device_name} only"
        )
    for prepared in session.prepared_labs:
        if prepared.fingerprint != request.fingerprints[prepared.lab.name]:
            raise GraderError(f"its tools or data for {prepared.lab.name} are not those of the head node")
    return session


def _grade_all(out: Path, units: Sequence[Unit], session: Session, journal: JournalWriter) -> None:
    prepared = {each.lab.name: each for each in session.prepared_labs}
    jobs = [
        Job(
            prepared[unit.lab],
            unit.student,
            unit.hash,
            out,
            Result(unit.lab, "", folder=unit.folder),
        )
        for unit in units
    ]

    def grade(group: Sequence[Job]) -> None:
        for job, result in grade_equal(group, session, lambda job: journal.write(begin=job.about.folder)):
            journal.write(end=job.about.folder, **_row(result))

    with ThreadPoolExecutor(session.jobs) as pool:
        try:
            for _ in pool.map(grade, equal_ones(jobs)):
                pass
        except BaseException:
            process.stop_all()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _row(result: Result) -> dict[str, object]:
    return {"waits": True} if result.status == WAITING else {"result": to_data(result)}


def result_of(row: dict[str, object]) -> Result | None:
    """The result that a line of a journal holds; None where a GPU must go on."""
    return None if row.get("waits") else from_data(Result, row["result"])
