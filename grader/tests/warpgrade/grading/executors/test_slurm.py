"""A class graded on Slurm, or half there and half here, leaves the bytes of a local grading."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.fake_repository import LAB, hand_in, write
from warpgrade.cli import class_output
from warpgrade.core.errors import GraderError, SandboxError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.grading import batch, executors
from warpgrade.grading.cluster import dispatch, slurm, worker
from warpgrade.grading.cluster.slurm import Queued, SlurmRefused
from warpgrade.grading.cluster.work_folder import JournalName, WorkFolder
from warpgrade.grading.executors import ExecutorOptions
from warpgrade.grading.executors.slurm import FOLDER
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.run import harness
from warpgrade.sandbox import process
from warpgrade.submission import downloads

LINES = ("", "first: wrong", "SYNTAX", "")
CLUSTER = "poll_seconds = 0.1\nsettle_seconds = 0\nchunk = 2\ncpus = 1\n"


class InstantSlurm:
    """Runs the tasks of an array within sbatch, in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.submitted: list[Sequence[str]] = []
        self.stop_after = 0  # tasks, after which the grader is stopped
        for name in ("submit", "queue", "cancel"):
            monkeypatch.setattr(slurm, name, getattr(self, name))
        monkeypatch.setattr(slurm, "need_commands", lambda: None)
        monkeypatch.setattr(dispatch, "QUEUE_SECONDS", 0.0)

    def submit(self, words: Sequence[str]) -> str:
        if "--exclude=n1" in words:
            raise SlurmRefused("no other node is there")
        self.submitted.append(words)
        command = shlex.split(words[-1].removeprefix("--wrap="))
        folder = WorkFolder(Path(command[command.index("work") + 1]))
        given = dict(word[2:].split("=", 1) for word in command if word.startswith("--"))
        array = int(given["array"])
        for element, _ in enumerate(list(folder.elements(array))):
            name = JournalName(array, element, str(len(self.submitted)), 0)
            worker.work(folder, worker.Task(name, given["stage"], "n1", int(given["jobs"]), 600.0))
            self.stop_after -= 1
            if self.stop_after == 0:
                raise KeyboardInterrupt
        return str(len(self.submitted))

    def queue(self) -> tuple[Queued, ...]:
        return ()

    def cancel(self, jobs: Sequence[str]) -> bool:
        return True


def files(out: Path) -> dict[str, bytes]:
    paths = (path for path in out.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}


def options(root: Path, reported: list[str]) -> ExecutorOptions:
    return ExecutorOptions(("warpgrade",), reported.append, write(root / "cluster.toml", CLUSTER))


def grade(klass: Path, out: Path, session: Session, executor: Any = None) -> None:
    class_output.write(batch.grade_class(downloads.read(klass), out, session, executor=executor), out)


@pytest.fixture
def session(repository: Repository) -> Session:
    """As `warpgrade grade` prepares it."""
    return prepare(repository, lab.find(repository), Options("emulator", "none", jobs=2, fresh=True))


@pytest.fixture
def klass(class_folder: Path) -> Path:
    for number, line in enumerate(LINES):
        hand_in(class_folder, f"student{number}", line)
    return class_folder


def test_here_there_or_half_and_half_the_bytes_are_the_same(
    klass: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, reported = session.repository.root, list[str]()
    monkeypatch.setenv("WARPGRADE_ROOT", str(root))
    grade(klass, root / "here", session)
    fake = InstantSlurm(monkeypatch)
    chosen = executors.named("slurm", options(root, reported))
    assert chosen.adapted(Options("auto", "none")) == Options("emulator", "none")

    grade(klass, root / "there", session, chosen)
    assert files(root / "there") == files(root / "here") and len(fake.submitted) == 1

    fake.stop_after = 2
    with pytest.raises(KeyboardInterrupt):
        grade(klass, root / "half", session, chosen)
    assert reported == ["the tasks in Slurm are cancelled; what is graded already is kept"]
    work = root / "half" / FOLDER
    assert work.stat().st_mode & 0o777 == 0o700 and list((work / "done").iterdir())
    grade(klass, root / "half", session)  # the other half here
    again = {name: text for name, text in files(root / "half").items() if not name.startswith(FOLDER)}
    assert again == files(root / "here")
    grade(klass, root / "half", session, chosen)  # nothing is left to do but the fourth of six
    assert files(root / "half") == files(root / "here")


def as_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """A harness whose GPU is the fake one's emulator. What was started: device, and whether it was timed."""
    started: list[tuple[str, bool]] = []
    start = harness.start

    def noted(job: Any, runner: Any, submission: Any) -> Any:
        started.append((job.device, job.reference is not None))
        return start(replace(job, device="emulator"), runner, submission)

    monkeypatch.setattr(harness, "start", noted)
    return started


def test_gpu_nodes_do_nothing_but_time(
    klass: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, reported = session.repository.root, list[str]()
    monkeypatch.setenv("WARPGRADE_ROOT", str(root))
    named = {"name": session.gpu.name}
    monkeypatch.setattr(worker, "prepare", lambda *given: on_gpu(*given))
    started = as_on_a_gpu(monkeypatch)

    def on_gpu(repository: Any, labs: Any, wanted: Options) -> Session:
        """A node with a GPU of that name, where the stage that times runs."""
        made = prepare(repository, labs, replace(wanted, device="gpu", times_elsewhere=True))
        if wanted.times_elsewhere:
            return made
        setting = replace(made.setting, device_name=named["name"])
        return replace(made, setting=setting, times_elsewhere=False)

    fake = InstantSlurm(monkeypatch)
    chosen = executors.named("slurm", options(root, reported))
    wanted = chosen.adapted(Options("gpu", "none", fresh=True))
    assert wanted.times_elsewhere and wanted.device == "gpu"
    head = prepare(session.repository, session.labs, wanted)
    started.clear()
    grade(klass, root / "there", head, chosen)
    stages = [next(w for w in shlex.split(words[-1]) if w.startswith("--stage=")) for words in fake.submitted]
    assert stages == ["--stage=emulate", "--stage=time"]
    assert ["--gres=gpu:1" in words for words in fake.submitted] == [False, True]
    begun = [device for device, _ in started]
    assert begun == sorted(begun), "the emulator first, and on the GPU's node the GPU alone"
    assert "gpu" in begun and not list((root / "there").rglob("emulated.json"))

    started.clear()
    grade(klass, root / "here", replace(head, times_elsewhere=False))
    assert files(root / "there") == files(root / "here")

    named["name"] = "NVIDIA A100"
    grade(klass, root / "other", head, chosen)
    assert reported == [
        "node n1 is not used any more: its GPU is NVIDIA A100; times count on NVIDIA H200 only"
    ]
    assert not list((root / "other").rglob("run.json")), "nothing is scored"
    assert '"status": "withheld"' in (root / "other" / "results.json").read_text()


def test_a_node_that_cannot_grade_is_named(
    klass: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = session.repository.root
    monkeypatch.setenv("WARPGRADE_ROOT", str(root))
    InstantSlurm(monkeypatch)
    reported: list[str] = []
    chosen = executors.named("slurm", options(root, reported))
    prepared = session.prepared_labs[0]
    other = replace(session, prepared_labs=(replace(prepared, fingerprint="another"),))
    with pytest.raises(GraderError, match="no other node is there; nodes that cannot grade: n1: its tools"):
        grade(klass, root / "grades", other, chosen)
    assert f"its tools or data for {LAB} are not those of the head node" in reported[0]

    def broken(*_: Any) -> Session:
        raise SandboxError("bwrap does not start")

    monkeypatch.setattr(worker, "prepare", broken)
    with pytest.raises(GraderError, match="n1: bwrap does not start"):
        grade(klass, root / "others", session, chosen)


def test_without_slurm_the_error_says_so(
    klass: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(session.repository.root))
    chosen = executors.named("slurm", options(session.repository.root, []))
    with pytest.raises(GraderError, match="no Slurm") as caught:
        grade(klass, session.repository.root / "grades", session, chosen)
    assert "--executor" in caught.value.remedy
    process.resume()


def test_the_executors_are_the_modules_of_the_folder() -> None:
    assert executors.names() == ["local", "slurm"]
