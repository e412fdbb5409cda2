"""Killed at any instant, the grader continues where it was, and every file is that of an undisturbed run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.fake_repository import GOOD, LAB, hand_in, write
from warpgrade.cli import class_output
from warpgrade.grading import batch
from warpgrade.grading.session import Session
from warpgrade.submission import downloads

KILLS_OF_ONE = 10  # at most, one after another on one folder
LINES = ("", "first: wrong", "second: race", "third: memory", "SYNTAX", "second: memory", "first: wrong")


@pytest.fixture
def klass(class_folder: Path) -> Path:
    for index, line in enumerate(LINES):
        hand_in(class_folder, f"student{index}", line)
    write(class_folder / "late.cu", GOOD)
    write(class_folder / "broken.zip", "no archive")
    return class_folder


def grade(klass: Path, out: Path, session: Session) -> None:
    """All that `warpgrade grade` writes."""
    grades = batch.grade_class(downloads.read(klass), out, session)
    class_output.write(grades, out)


def files(out: Path) -> dict[str, bytes]:
    paths = (path for path in out.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}


def killed_after(seconds: float, klass: Path, out: Path, session: Session) -> bool:
    """Grade in a process of its own and kill it then; False where it was done before."""
    child = os.fork()
    if child == 0:
        try:
            grade(klass, out, session)
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.parametrize("kills", [25, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_killed_at_many_instants(kills: int, klass: Path, session: Session) -> None:
    """The instants are spread over what an undisturbed run takes here, so the test suits any machine."""
    root = session.repository.root
    begun = time.monotonic()
    grade(klass, root / "whole", session)
    span = time.monotonic() - begun
    expected = files(root / "whole")
    assert len(expected) > 40
    chance = random.Random(LAB)
    killed = round = 0
    while killed < kills:
        out = root / f"killed{round}"
        round += 1
        for _ in range(KILLS_OF_ONE):
            if not killed_after(chance.uniform(0.0, 0.5) * span, klass, out, session):
                break  # it was done before
            killed += 1
        grade(klass, out, session)
        assert files(out) == expected


def test_the_command_line_killed_and_interrupted(klass: Path, session: Session) -> None:
    root = session.repository.root

    def start(out: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "warpgrade", "grade", "--sandbox", "none", "--device", "emulator"]
        return subprocess.Popen(
            [*command, "--jobs", "2", "--out", str(root / out), str(klass)],
            env={**os.environ, "WARPGRADE_ROOT": str(root)},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def begun(out: str) -> None:
        deadline = time.monotonic() + 60
        while not list((root / out).glob("*/*/*/build.json")) and time.monotonic() < deadline:
            time.sleep(0.01)

    assert start("whole").wait() == 0
    for end, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130), (signal.SIGTERM, 130)):
        process = start(end.name)
        begun(end.name)
        process.send_signal(end)
        _, words = process.communicate()
        if process.returncode == 0:
            continue  # it was quicker
        assert process.returncode == code and "Traceback" not in words, words
        assert end == signal.SIGKILL or "continues where it was" in words
        assert start(end.name).wait() == 0
        assert files(root / end.name) == files(root / "whole")
