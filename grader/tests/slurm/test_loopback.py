"""A class on a real Slurm: the bytes of a local grading, whatever is killed in the middle.

`make test-slurm` runs these; they take minutes.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.fake_repository import hand_in, make_repository, write
from support.slurm import loopback_slurm
from support.slurm.loopback_slurm import LoopbackSlurm
from warpgrade.core import paths
from warpgrade.core.paths import Repository

_WANTED = "WARPGRADE_SLURM"
pytestmark = [
    pytest.mark.optional,
    pytest.mark.skipif(_WANTED not in os.environ, reason="takes minutes: `make test-slurm` runs it"),
]
LINES = (
    "",
    "first: wrong",
    "second: race",
    "SYNTAX",
    "third: memory",
    "second: wrong",
    "first: loads",
    "SLOW",
)
STUDENTS = 128
CLUSTER = 'poll_seconds = 0.5\nsettle_seconds = 2\nchunk = 10\ncpus = 1\nmemory = "100M"\n'


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackSlurm]:
    if why := loopback_slurm.why_not():
        pytest.fail(why)
    with loopback_slurm.running(tmp_path_factory.mktemp("slurm")) as found:
        yield found


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = make_repository(tmp_path_factory.mktemp("course"))
    write(repository.root / "cluster.toml", CLUSTER)
    for number in range(STUDENTS):
        hand_in(repository.root / "class", f"student{number:03}", LINES[number % len(LINES)], f"by {number}")
    return repository


def files(out: Path) -> dict[str, bytes]:
    paths = (path for path in out.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}


def grader(slurm: LoopbackSlurm, course: Repository, out: str, *options: str) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "warpgrade",
        "grade",
        "--sandbox",
        "none",
        "--out",
        str(course.root / out),
    ]
    return subprocess.Popen(
        [*command, *options, str(course.root / "class")],
        env={**slurm.environment, "WARPGRADE_ROOT": str(course.root)},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def done(course: Repository, out: str) -> int:
    """Submissions that have their line in a journal."""
    journals = (course.root / out / ".cluster" / "done").glob("*.jsonl")
    return sum(journal.read_bytes().count(b'"end"') for journal in journals)


def wait_for(count: int, course: Repository, out: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 300
    while done(course, out) < count and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)


@pytest.fixture(scope="module")
def here(slurm: LoopbackSlurm, course: Repository) -> dict[str, bytes]:
    process = grader(slurm, course, "here")
    _, words = process.communicate(timeout=600)
    assert process.returncode == 0, words
    found = files(course.root / "here")
    assert len(found) > 4 * STUDENTS
    return found


def test_the_bytes_are_those_of_a_local_grading(
    slurm: LoopbackSlurm, course: Repository, here: dict[str, bytes]
) -> None:
    process = grader(slurm, course, "there", "--executor", "slurm")
    _, words = process.communicate(timeout=600)
    assert process.returncode == 0, words
    assert files(course.root / "there") == here
    assert slurm.ask("squeue", "-h") == ""


def test_the_sample_class_too(slurm: LoopbackSlurm) -> None:
    """With the real tools, in the checkout, which the sandbox's user can read as on a shared folder."""
    repository = paths.here()
    sample = repository.root / "grader/tests/fixtures/submissions/class"
    with tempfile.TemporaryDirectory(dir=repository.output) as name:
        folder = Path(name)
        write(folder / "cluster.toml", CLUSTER.replace("100M", "400M"))
        by_slurm = ("--executor", "slurm", "--cluster", str(folder / "cluster.toml"))
        for out, options in (("here", ()), ("there", by_slurm)):
            command = ["grade", str(sample), "--device", "emulator", "--out", str(folder / out), *options]
            ran = subprocess.run(
                [sys.executable, "-m", "warpgrade", *command],
                env=slurm.environment, capture_output=True, text=True, timeout=1200,
            )  # fmt: skip
            assert ran.returncode == 0, ran.stderr
        assert files(folder / "there") == files(folder / "here")


def test_everything_is_killed_in_the_middle(
    slurm: LoopbackSlurm, course: Repository, here: dict[str, bytes]
) -> None:
    """Controller, a node's daemon, a node, and the grader; then the same command."""
    chance = random.Random(os.environ[_WANTED])
    process = grader(slurm, course, "killed", "--executor", "slurm")
    wait_for(chance.randrange(5, 30), course, "killed", process)
    slurm.kill("n1")
    wait_for(chance.randrange(30, 50), course, "killed", process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    slurm.kill("controller")
    slurm.start("n1")
    process = grader(slurm, course, "killed", "--executor", "slurm")
    time.sleep(chance.uniform(0, 5))
    slurm.start("controller")
    wait_for(chance.randrange(60, 100), course, "killed", process)
    slurm.kill_node("n2")
    time.sleep(chance.uniform(0, 5))
    slurm.kill("controller")
    time.sleep(chance.uniform(0, 5))
    slurm.start("controller")
    slurm.start("n2")
    _, words = process.communicate(timeout=900)
    assert process.returncode == 0, words
    assert files(course.root / "killed") == here


def test_half_here_and_half_there(slurm: LoopbackSlurm, course: Repository, here: dict[str, bytes]) -> None:
    process = grader(slurm, course, "half", "--executor", "slurm")
    wait_for(STUDENTS // 2, course, "half", process)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=120)
    assert process.returncode == 130 and "cancelled" in words, words
    # A task that had nothing left is not cancelled: it is about to end.
    end = time.monotonic() + 10
    while (left := slurm.ask("squeue", "-h", "-t", "pending,running")) and time.monotonic() < end:
        time.sleep(0.5)
    assert left == ""
    process = grader(slurm, course, "half", "--executor", "local")
    _, words = process.communicate(timeout=600)
    assert process.returncode == 0, words
    found = {
        name: text for name, text in files(course.root / "half").items() if not name.startswith(".cluster/")
    }
    assert found == here


def test_tasks_that_are_left_running_are_taken_up(
    slurm: LoopbackSlurm, course: Repository, here: dict[str, bytes]
) -> None:
    process = grader(slurm, course, "left", "--executor", "slurm", "--if-stopped", "leave")
    wait_for(20, course, "left", process)
    process.send_signal(signal.SIGTERM)
    _, words = process.communicate(timeout=120)
    assert process.returncode == 130 and "run on" in words, words
    before = done(course, "left")
    time.sleep(5)
    assert done(course, "left") > before, "they run on"
    process = grader(slurm, course, "left", "--executor", "slurm")
    _, words = process.communicate(timeout=600)
    assert process.returncode == 0 and "taking up" in words, words
    assert files(course.root / "left") == here


def test_a_partition_that_is_not_there(slurm: LoopbackSlurm, course: Repository) -> None:
    process = grader(slurm, course, "nowhere", "--executor", "slurm", "--partition", "nowhere")
    _, words = process.communicate(timeout=120)
    assert process.returncode == 4 and "partition" in words and "cluster.toml" in words, words


def test_what_needs_a_gpu_goes_to_a_node_with_one(slurm: LoopbackSlurm, course: Repository) -> None:
    """The stand-in is no GPU: the nodes are named, and no score is given for times that were not taken."""
    process = grader(slurm, course, "gpu", "--executor", "slurm", "--device", "gpu")
    _, words = process.communicate(timeout=600)
    assert process.returncode == 4 and "node n1 is not used any more" in words, words
    assert "no GPU on this machine" in words
    text = (course.root / "gpu" / "results.json").read_text(encoding="utf-8")
    assert text.count('"status": "withheld"') == STUDENTS * (len(LINES) - 1) // len(LINES)


def test_the_nodes_with_gpus_are_calibrated_each(slurm: LoopbackSlurm, course: Repository) -> None:
    """The stand-ins are no GPUs: both nodes are named, with what their jobs said, and nothing is written."""
    ran = subprocess.run(
        [sys.executable, "-m", "warpgrade", "calibrate", "--executor", "slurm", "--sandbox", "none"],
        env={**slurm.environment, "WARPGRADE_ROOT": str(course.root)},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert ran.returncode == 4, ran.stdout + ran.stderr
    for node in loopback_slurm.NODES:
        assert f"{node}: not measured" in ran.stderr and "no GPU" in ran.stderr, ran.stderr
    assert not list((course.root / "datasets").rglob("*.json"))
