"""Kernels whose threads wait for an event that never happens: each ends with one finding, WG132."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from warpgrade.core.paths import here

REPOSITORY = here()
SOURCE = Path(__file__).parents[1] / "fixtures" / "deadlocks" / "deadlocks.cu"
NVCC = REPOSITORY.toolkit / "bin" / "nvcc"
pytestmark = pytest.mark.skipif(
    not (REPOSITORY.emulator.exists() and NVCC.exists()), reason="needs `make tools`"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("deadlocks") / "deadlocks"
    flags = ("-std=c++17", "-arch=compute_80", "-lineinfo", "-cudart", "shared", "--no-compress", "-w")
    done = subprocess.run([NVCC, *flags, SOURCE, "-o", made], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return made


def _run(program: Path, *arguments: str, **settings: str) -> list[str]:
    environment = {**os.environ, "LD_LIBRARY_PATH": str(REPOSITORY.emulator.parent), **settings}
    done = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{arguments}: exit code {done.returncode}\n{done.stderr}"
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(("checks", "threads"), [("all", "1"), ("barrier", "2")])
def test_each_is_found(program: Path, tmp_path: Path, checks: str, threads: str) -> None:
    names = _run(program)
    assert len(names) > 60
    for name in names:
        file = tmp_path / "findings.jsonl"
        settings = {"FINDINGS": str(file), "CHECK": checks, "THREADS": threads}
        said = _run(program, name, **{f"WARPGRADE_{key}": value for key, value in settings.items()})
        assert said == ["cudaErrorLaunchTimeout"], name
        codes = [json.loads(line)["code"] for line in file.read_text().splitlines()]
        # Plain writes of the polled word by several blocks are races, too.
        assert codes.count("WG132") == 1 and {*codes} <= {"WG132", "WG115"}, (name, codes)
        file.unlink()


@pytest.mark.parametrize(("kernel", "does"), [("CompareAndSwap", "repeats"), ("VolatileLoad", "reads")])
def test_a_single_thread_is_spoken_of_as_one(program: Path, tmp_path: Path, kernel: str, does: str) -> None:
    name = next(name for name in _run(program) if name.startswith(f"{kernel} "))
    file = tmp_path / "findings.jsonl"
    _run(program, name, "1", WARPGRADE_FINDINGS=str(file), WARPGRADE_CHECK="barrier")
    messages = [json.loads(line)["message"] for line in file.read_text().splitlines()]
    assert any(f"of its 1 thread that has not returned, 1 {does} " in message for message in messages)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_launch_with_its_findings(program: Path, tmp_path: Path, number: int) -> None:
    file = tmp_path / "findings.jsonl"
    settings = {"LD_LIBRARY_PATH": str(REPOSITORY.emulator.parent), "WARPGRADE_FINDINGS": str(file)}
    # A shell's background job, as these tests may be, hands on that SIGINT is ignored.
    command = ["env", "--default-signal", program, "counts"]
    with subprocess.Popen(command, env={**os.environ, **settings}) as running:
        try:
            while running.poll() is None and not _handles(running.pid, number):
                time.sleep(0.01)
            running.send_signal(number)
            assert running.wait(60) == -number
        finally:
            running.kill()
    codes = [json.loads(line)["code"] for line in file.read_text().splitlines()]
    assert codes.count("WG141") == 1


def _handles(process: int, number: int) -> bool:
    """Whether a handler of the signal is installed: a launch runs."""
    status = Path(f"/proc/{process}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)
