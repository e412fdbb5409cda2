"""Grades a class on a cluster: arrays of Slurm hold its submissions, Slurm decides what runs where.

cluster/dispatch.py says what is submitted when, cluster/worker.py what a task does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...core.paths import here
from ...sandbox import process
from ..cluster import settings, slurm
from ..cluster.dispatch import Dispatch
from ..cluster.node_jobs import NodeFiles, NodeJobs
from ..cluster.settings import ClusterSettings
from ..cluster.work_folder import Unit, WorkFolder, WorkRequest
from ..jobs import Job
from ..progress import Meter
from ..result_file import ResultFile
from ..session import Options, Session
from . import ExecutorOptions

FOLDER = ".cluster"  # below the output folder, while a class is graded


class SlurmExecutor:
    def __init__(self, options: ExecutorOptions, found: ClusterSettings) -> None:
        self._options, self._settings, self._sanitizer = options, found, False

    def adapted(self, options: Options) -> Options:
        """Times are taken on nodes with a GPU if cluster.toml has some, or --device asks for it."""
        if options.device == "gpu":
            self._settings = settings.with_gpu(self._settings)
        elsewhere = options.device != "emulator" and self._settings.time is not None
        self._sanitizer = options.sanitizer
        return replace(options, device="gpu" if elsewhere else "emulator", times_elsewhere=elsewhere)

    def on_gpu_nodes(self, words: Sequence[str], folder: Path) -> NodeFiles:
        slurm.need_commands()
        found, options = settings.with_gpu(self._settings), self._options
        return NodeJobs(folder, found, options.command, options.tell).run(words)

    def grade(self, jobs: Sequence[Job], out: Path, session: Session, meter: Meter) -> ResultFile:
        if not jobs:
            return ResultFile(out)
        slurm.need_commands()
        folder = WorkFolder(out.resolve() / FOLDER)
        request = self._request(session)
        if not folder.is_for(request):
            slurm.cancel(array.job for array in folder.submitted() if array.job)
            folder.make(request)
        units = {job.about.folder: _unit(job) for job in jobs}
        results, options = ResultFile(out), self._options
        dispatch = Dispatch(units, folder, self._settings, options.command, results, meter, options.tell)
        try:
            dispatch.run()
        except BaseException:
            process.resume()
            self._stopped(dispatch)
            raise
        folder.remove(but_logs=dispatch.troubles.given_up > 0)
        return results

    def _stopped(self, dispatch: Dispatch) -> None:
        if self._options.leave_running:
            self._options.tell("the tasks in Slurm run on; the same command takes them up again")
        elif dispatch.cancel():
            self._options.tell("the tasks in Slurm are cancelled; what is graded already is kept")
        else:
            self._options.tell(
                "Slurm does not answer: its tasks run on; the same command takes them up again"
            )

    def _request(self, session: Session) -> WorkRequest:
        setting = session.setting
        return WorkRequest(
            root=str(session.repository.root.resolve()),
            sandbox=setting.sandbox,
            gpu_model=setting.gpu_model,
            device=setting.device,
            device_name=setting.device_name,
            sanitizer=self._sanitizer,
            fingerprints={each.lab.name: each.fingerprint for each in session.prepared_labs},
        )


def executor(options: ExecutorOptions) -> SlurmExecutor:
    standard = here().root / settings.FILE
    return SlurmExecutor(options, settings.load(options.file, standard, options.settings))


def _unit(job: Job) -> Unit:
    return Unit(job.prepared.lab.name, job.student, job.hash, job.about.folder)
