"""The README's commands. Each runs once, however many tests in however many processes see what it made."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
_MOST_SECONDS = 600
_NO_GPU = {"CUDA_VISIBLE_DEVICES": "-1"}  # what is expected of a command is expected on every machine


@dataclass(frozen=True)
class Ran:
    """A command that has ended; `output`: the folder of what it wrote."""

    status: int
    said: str
    output: str


def commands() -> list[str]:
    """Lines of the README's console blocks that begin with a prompt."""
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    return [
        line[2:].split("  #")[0].strip()
        for block in blocks
        for line in block.splitlines()
        if line.startswith("$ ")
    ]


def run_once(command: str, factory: pytest.TempPathFactory) -> Ran:
    """Run a command in the repository's top folder, or wait until another test process has run it."""
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # the base of one run's workers
    folder = shared / f"readme-{hashlib.sha256(command.encode()).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = folder / "ran.json"
        if not kept.exists():
            kept.write_text(json.dumps(asdict(_run(command, folder / "output"))), encoding="utf-8")
        return Ran(**json.loads(kept.read_text("utf-8")))


def _run(command: str, output: Path) -> Ran:
    output.mkdir()
    command = command.replace("--out ", f"--out {output}/")
    environment = os.environ | _NO_GPU | {"WARPGRADE_OUTPUT": str(output)}
    ran = subprocess.run(
        command, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=_MOST_SECONDS
    )
    return Ran(ran.returncode, f"$ {command}\n{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}", str(output))
