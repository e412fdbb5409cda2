"""A whole program on a GPU, for which our own runtime stands: it is found by the loader, as NVIDIA's is."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.build import toolkit
from warpgrade.build.compiler import Compiler
from warpgrade.build.program import PROGRAM, build_program
from warpgrade.core.errors import GraderError
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.gpu.devices import BrokenDevice, Device, DevicePool
from warpgrade.records import BuildStatus, CaseRun, Lab, Run, SourceFile, Submission
from warpgrade.run import harness, program_cases, program_on_gpu
from warpgrade.run.harness import RunnerConfig
from warpgrade.run.program_on_gpu import name_if_it_works, on_gpu

REPOSITORY = here()
CASES = ("one", "two", "three")
CARD = Device(0, 0, "GPU-a", "A card")
pytestmark = [
    pytest.mark.needs_sandbox,
    pytest.mark.skipif(
        not (REPOSITORY.emulator.exists() and (REPOSITORY.toolkit / "bin" / "nvcc").exists()),
        reason="needs `make tools`",
    ),
]

# Doubles four numbers. WHEN names what it does in the case "two".
TEXT = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <unistd.h>
__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
int main(int, char** argv) {
  char head[128];
  float values[4], *there;
  std::ifstream in(argv[1], std::ios::binary);
  in.read(head, 128);
  in.read((char*)values, 16);
  const bool second = values[0] == 2;
  if (cudaMalloc(&there, 16) != cudaSuccess) return 9;
  cudaMemcpy(there, values, 16, cudaMemcpyHostToDevice);
  twice<<<1, 4>>>(there);
  if (cudaMemcpy(values, there, 16, cudaMemcpyDeviceToHost) != cudaSuccess) return 9;
  cudaFree(there);
  if (second) { WHEN; }
  std::ofstream out(argv[2], std::ios::binary);
  out.write(head, 128);
  out.write((char*)values, 16);
}
"""


def npy(values: list[float]) -> bytes:
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    numbers = struct.pack(f"<{len(values)}f", *values)
    return b"\x93NUMPY\1\0" + struct.pack("<H", 118) + head.encode() + numbers


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    rows = []
    for number, name in enumerate(CASES, 1):
        (folder / name).mkdir()
        values = [float(number), 0.5, -3.0, 7.0]
        (folder / name / "x.npy").write_bytes(npy(values))
        (folder / name / "y.npy").write_bytes(npy([2 * value for value in values]))
        rows.append(
            {"name": name, "arrays": [{"name": "x", "role": "input"}, {"name": "y", "role": "output"}]}
        )
    (folder / "cases.json").write_text(json.dumps({"cases": rows}))
    return folder


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Iterator[RunnerConfig]:
    monkeypatch.setattr(harness, "_runtime", lambda device, runner: REPOSITORY.emulator.parent)
    monkeypatch.setattr(program_cases, "SECONDS", 2.0)
    monkeypatch.setattr(program_on_gpu, "MEMORY", 256 << 20)
    yield RunnerConfig(REPOSITORY, toolkit.find(REPOSITORY), threads=1, gpus=DevicePool((CARD,)))


def a_lab() -> Lab:
    first = lab.find(REPOSITORY)[0]
    cases = tuple(replace(first.cases[0], name=name) for name in CASES)
    return replace(first, files=("program.cu",), cases=cases, techniques=())


def built(what: str, folder: Path) -> Path:
    text = TEXT.replace("WHEN", what)
    submission = Submission("you", "lab", "you", (SourceFile("program.cu", text),), "")
    folder.mkdir()
    compiler = Compiler(REPOSITORY, toolkit.find(REPOSITORY))
    assert build_program(submission, a_lab(), compiler, folder).status == BuildStatus.BUILT
    return folder / PROGRAM


def judged(what: str, runner: RunnerConfig, data: Path, folder: Path, solution: str = "") -> Run:
    emulated = Run("emulator", "a model", cases=tuple(CaseRun(name, "pass") for name in CASES))
    reference = built(solution, folder / "solution")
    return on_gpu(emulated, built(what, folder / "mine"), a_lab(), runner, reference, data)


def test_a_right_program_is_right_on_a_gpu(runner: RunnerConfig, data: Path, tmp_path: Path) -> None:
    run = judged("", runner, data, tmp_path)
    assert [(case.name, case.status) for case in run.device_cases] == [(name, "pass") for name in CASES]
    assert (run.device, run.device_name) == ("gpu", "A card")
    assert [case.status for case in run.cases] == ["pass"] * 3


@pytest.mark.parametrize(
    ("what", "status", "words"),
    [
        ("values[3] = 1", "wrong_answer", "the first is [3]: 1 instead of 14"),
        ("return 0", "wrong_answer", ""),
        ('std::fprintf(stderr, "no such device\\n"); return 3', "crash", "exit code 3 and said: no such"),
        ("std::abort()", "crash", "signal 6"),
        ("for (;;) usleep(1000)", "timeout", "did not end within 2 seconds"),
        ("symlink(argv[1], argv[2]); return 0", "wrong_answer", ""),
        ("for (;;) std::memset(std::malloc(1 << 25), 1, 1 << 25)", "resources", "4,096 MiB of memory"),
    ],
)  # fmt: skip
def test_a_fault_on_a_gpu_is_the_programs_where_the_solution_works(
    what: str, status: str, words: str, runner: RunnerConfig, data: Path, tmp_path: Path
) -> None:
    run = judged(what, runner, data, tmp_path)
    assert [case.status for case in run.device_cases] == ["pass", status, "pass"]
    assert words in run.device_cases[1].message


def test_an_endless_program_does_not_hold_a_card_for_every_case(
    runner: RunnerConfig, data: Path, tmp_path: Path
) -> None:
    program = built("", tmp_path / "good")
    endless = tmp_path / "endless"
    endless.write_text("#!/bin/sh\nsleep 100\n")
    endless.chmod(0o755)
    run = on_gpu(Run("emulator"), endless, a_lab(), runner, program, data)
    assert [case.status for case in run.device_cases] == ["timeout", "timeout", "not_run"]


def test_nobody_is_blamed_by_a_card_on_which_the_solution_fails(
    runner: RunnerConfig, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 9\n")
    broken.chmod(0o755)
    with pytest.raises(GraderError, match=r"the reference solution does not run on it: .* exit code 9"):
        name_if_it_works(broken, a_lab(), runner, data)
    with pytest.raises(BrokenDevice, match="A card fails with the reference solution as well"):
        on_gpu(Run("emulator"), broken, a_lab(), runner, broken, data)
    with pytest.raises(GraderError, match="no GPU is left"), runner.gpus.one():
        pass


def test_the_solution_shows_that_a_gpu_works(runner: RunnerConfig, data: Path, tmp_path: Path) -> None:
    assert name_if_it_works(built("", tmp_path / "good"), a_lab(), runner, data) == "A card"
