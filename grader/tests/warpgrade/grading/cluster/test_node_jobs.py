"""A job for each node with a GPU, with an imitated Slurm and clock."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from warpgrade.core.errors import GraderError
from warpgrade.grading.cluster import slurm
from warpgrade.grading.cluster.dispatch import Clock
from warpgrade.grading.cluster.node_jobs import NodeJobs
from warpgrade.grading.cluster.settings import ClusterSettings, TaskSettings
from warpgrade.grading.cluster.slurm import Queued, SlurmRefused

SETTINGS = ClusterSettings(time=TaskSettings(partition="gpu", gres="gpu:1", prefix=("inside",)))


@dataclass
class Cluster:
    """`at`: what happens when the clock has gone so far. A job is listed until it is in `gone`."""

    nodes: tuple[str, ...] = ("n1", "n2")
    refused: tuple[str, ...] = ()
    at: dict[float, Callable[[], object]] = field(default_factory=dict)
    now: float = 0.0
    answers: bool = True
    asked: dict[str, list[str]] = field(default_factory=dict)  # of sbatch, by node
    gone: set[str] = field(default_factory=set)
    cancelled: list[str] = field(default_factory=list)

    def submit(self, words: Sequence[str]) -> str:
        node = next(word.partition("=")[2] for word in words if word.startswith("--nodelist="))
        if node in self.refused:
            raise SlurmRefused("no such thing")
        self.asked[node] = list(words)
        return f"job-{node}"

    def queue(self) -> tuple[Queued, ...] | None:
        listed = (f"job-{node}" for node in self.asked if f"job-{node}" not in self.gone)
        return tuple(Queued(job, 0, "", True, False) for job in listed) if self.answers else None

    def cancel(self, jobs: Sequence[str]) -> bool:
        self.cancelled += jobs
        return True

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        assert self.now < 1000, "nothing happens any more"
        for moment in [moment for moment in self.at if moment <= self.now]:
            self.at.pop(moment)()


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    made = Cluster()
    for name in ("submit", "queue", "cancel"):
        monkeypatch.setattr(slurm, name, getattr(made, name))
    monkeypatch.setattr(slurm, "gpu_nodes", lambda partition: made.nodes if partition == "gpu" else ())
    return made


def jobs(cluster: Cluster, folder: Path) -> NodeJobs:
    clock = Clock(lambda: cluster.now, cluster.sleep)
    return NodeJobs(folder, SETTINGS, ("python", "-m", "warpgrade"), lambda sentence: None, clock)


def test_each_node_gets_a_job_and_leaves_a_file(cluster: Cluster, tmp_path: Path) -> None:
    files = {node: tmp_path / f"{node}.json" for node in cluster.nodes}
    files["n1"].write_text("of an earlier time")
    cluster.at = {8.0: lambda: files["n2"].write_text("2"), 70.0: lambda: files["n1"].write_text("1")}
    found = jobs(cluster, tmp_path).run(("calibrate", "--into"))
    assert found.files == files and not found.troubles
    assert files["n1"].read_text() == "1" and cluster.now >= 70
    (wrapped,) = (word for word in cluster.asked["n1"] if word.startswith("--wrap="))
    expected = ["exec", "inside", "python", "-m", "warpgrade", "calibrate", "--into", str(files["n1"])]
    assert shlex.split(wrapped.removeprefix("--wrap=")) == expected
    assert {"--partition=gpu", "--gres=gpu:1", "--no-requeue"} <= set(cluster.asked["n1"])


def test_a_job_that_ends_without_a_file_is_given_up_with_its_log(cluster: Cluster, tmp_path: Path) -> None:
    def dies() -> None:
        (tmp_path / "n1.log").write_text("no GPU answers here\n")
        cluster.gone.add("job-n1")

    cluster.at = {5.0: dies, 9.0: lambda: (tmp_path / "n2.json").write_text("2")}
    found = jobs(cluster, tmp_path).run(("calibrate",))
    assert set(found.files) == {"n2"} and "no GPU answers here" in found.troubles["n1"]


def test_a_file_that_is_seen_late_counts(cluster: Cluster, tmp_path: Path) -> None:
    """The job has ended, and its file is not seen here until a moment after squeue has said so."""
    cluster.nodes = ("n1",)
    cluster.at = {
        5.0: lambda: cluster.gone.add("job-n1"),
        33.0: lambda: (tmp_path / "n1.json").write_text("1"),
    }
    assert set(jobs(cluster, tmp_path).run(("calibrate",)).files) == {"n1"}


def test_a_silent_squeue_means_unknown(cluster: Cluster, tmp_path: Path) -> None:
    cluster.nodes, cluster.answers = ("n1",), False
    cluster.at = {400.0: lambda: (tmp_path / "n1.json").write_text("1")}
    assert set(jobs(cluster, tmp_path).run(("calibrate",)).files) == {"n1"}


def test_a_node_that_sbatch_refuses_is_named(cluster: Cluster, tmp_path: Path) -> None:
    cluster.refused, cluster.at = ("n2",), {2.0: lambda: (tmp_path / "n1.json").write_text("1")}
    found = jobs(cluster, tmp_path).run(("calibrate",))
    assert set(found.files) == {"n1"} and "no such thing" in found.troubles["n2"]


def test_ctrl_c_cancels_the_jobs(cluster: Cluster, tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    cluster.at = {2.0: stop}
    with pytest.raises(KeyboardInterrupt):
        jobs(cluster, tmp_path).run(("calibrate",))
    assert cluster.cancelled == ["job-n1", "job-n2"]


def test_no_node_has_a_gpu(cluster: Cluster, tmp_path: Path) -> None:
    cluster.nodes = ()
    with pytest.raises(GraderError, match="no node of partition gpu"):
        jobs(cluster, tmp_path).run(("calibrate",))
