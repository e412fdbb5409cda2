"""Killed at any instant, the grader goes on where it was, and the results are those of an undisturbed run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from fake_house import GOOD, LAB, hand_in, write

from warpgrade.house import House

KILLS = 8
COMMAND = (
    sys.executable,
    "-m",
    "warpgrade",
    "grade",
    "--sandbox",
    "none",
    "--device",
    "emulator",
    "--jobs",
    "2",
)


def start(house: House, class_folder: Path, out: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "WARPGRADE_ROOT": str(house.root)}
    command = [*COMMAND, "--out", str(house.root / out), str(class_folder)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def test_killed_at_random_instants(house: House, class_folder: Path) -> None:
    for index, line in enumerate(
        ("", "first: wrong", "second: race", "third: memory", "SYNTAX", "second: memory")
    ):
        hand_in(class_folder, f"student{index}", line)
    write(class_folder / "late.cu", GOOD)
    begun = time.monotonic()
    assert start(house, class_folder, "whole").wait() == 0
    whole = time.monotonic() - begun
    chance = random.Random(LAB)
    for _ in range(KILLS):
        process = start(house, class_folder, "killed")
        time.sleep(chance.uniform(0.2, 1.0) * whole)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert start(house, class_folder, "killed").wait() == 0
    for name in ("results.json", "gradebook.csv", "index.html"):
        assert (house.root / "killed" / name).read_bytes() == (house.root / "whole" / name).read_bytes(), name
