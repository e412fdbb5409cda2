"""A whole program on a GPU, for which our own runtime stands: it is found by the loader, as NVIDIA's is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from support.programs import case_data
from support.programs.case_data import CaseArray
from warpgrade.build import toolkit
from warpgrade.build.compiler import Compiler
from warpgrade.build.program import PROGRAM, build_program
from warpgrade.core.errors import GraderError
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.gpu.devices import BrokenDevice, Device, DevicePool
from warpgrade.records import BuildStatus, CaseRun, Lab, Run, SourceFile, Submission
from warpgrade.run import harness
from warpgrade.run.harness import RunnerConfig
from warpgrade.run.programs import cases, gpu_run
from warpgrade.run.programs.gpu_run import name_if_it_works, on_gpu

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

FAULTS = (
    "",
    "values[3] = 1",
    "return 0",
    'std::fprintf(stderr, "no such device\\n"); return 3',
    "std::abort()",
    "for (;;) usleep(1000)",
    "symlink(argv[1], argv[2]); return 0",
    "for (;;) std::memset(std::malloc(1 << 25), 1, 1 << 25)",
)
# Doubles four numbers. The second number is that of its fault.
TEXT = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
int main(int, char** argv) {
  char head[128];
  float values[4], *there;
  std::FILE* in = std::fopen(argv[1], "rb");
  if (!in || std::fread(head, 1, 128, in) != 128 || std::fread(values, 1, 16, in) != 16) return 9;
  std::fclose(in);
  const int fault = static_cast<int>(values[1]);
  if (cudaMalloc(&there, 16) != cudaSuccess) return 9;
  cudaMemcpy(there, values, 16, cudaMemcpyHostToDevice);
  twice<<<1, 4>>>(there);
  if (cudaMemcpy(values, there, 16, cudaMemcpyDeviceToHost) != cudaSuccess) return 9;
  cudaFree(there);
  switch (fault) {
FAULTS
  }
  std::FILE* out = std::fopen(argv[2], "wb");
  if (!out) return 9;
  std::fwrite(head, 1, 128, out);
  std::fwrite(values, 1, 16, out);
  return std::fclose(out);
}
"""


@pytest.fixture(scope="module")
def data_for(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """The cases' data, with which the program has that fault in the case "two"."""

    def written(fault: int) -> Path:
        folder = tmp_path_factory.mktemp("data")
        cases = {}
        for number, name in enumerate(CASES, 1):
            values = [float(number), float(fault) if name == "two" else 0.0, -3.0, 7.0]
            twice = CaseArray("output", "float", expected=[2 * value for value in values])
            cases[name] = {"x": CaseArray("input", "float", values), "y": twice}
        return case_data.write(folder, cases)

    return written


@pytest.fixture(scope="module")
def data(data_for: Callable[[int], Path]) -> Path:
    return data_for(0)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    faults = "\n".join(f"    case {number}: {what}; break;" for number, what in enumerate(FAULTS))
    text = TEXT.replace("FAULTS", faults)
    submission = Submission("you", "lab", "you", (SourceFile("program.cu", text),), "")
    compiler = Compiler(REPOSITORY, toolkit.find(REPOSITORY))
    assert build_program(submission, a_lab(), compiler, folder).status == BuildStatus.BUILT
    return folder / PROGRAM


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Iterator[RunnerConfig]:
    monkeypatch.setattr(harness, "_runtime", lambda device, runner: REPOSITORY.emulator.parent)
    monkeypatch.setattr(cases, "SECONDS", 2.0)
    monkeypatch.setattr(gpu_run, "MEMORY", 256 << 20)
    yield RunnerConfig(REPOSITORY, toolkit.find(REPOSITORY), threads=1, gpus=DevicePool((CARD,)))


def a_lab() -> Lab:
    first = lab.find(REPOSITORY)[0]
    cases = tuple(replace(first.cases[0], name=name) for name in CASES)
    return replace(first, files=("program.cu",), cases=cases, techniques=())


def judged(program: Path, runner: RunnerConfig, data: Path) -> Run:
    emulated = Run("emulator", "a model", cases=tuple(CaseRun(name, "pass") for name in CASES))
    return on_gpu(emulated, program, a_lab(), runner, program, data)


def test_a_right_program_is_right_on_a_gpu(program: Path, runner: RunnerConfig, data: Path) -> None:
    run = judged(program, runner, data)
    assert [(case.name, case.status) for case in run.device_cases] == [(name, "pass") for name in CASES]
    assert (run.device, run.device_name) == ("gpu", "A card")
    assert [case.status for case in run.cases] == ["pass"] * 3


@pytest.mark.parametrize(
    ("what", "status", "words"),
    [
        (1, "wrong_answer", "y[3] should be 14 but is 1"),
        (2, "wrong_answer", ""),
        (3, "crash", "exit code 3 and said: no such"),
        (4, "crash", "signal 6"),
        (5, "timeout", "did not end within 2 seconds"),
        (6, "wrong_answer", ""),
        (7, "resources", "4,096 MiB of memory"),
    ],
    ids=FAULTS[1:],
)  # fmt: skip
def test_a_fault_on_a_gpu_is_the_programs_where_the_solution_works(
    what: int, status: str, words: str, program: Path, runner: RunnerConfig, data_for: Callable[[int], Path]
) -> None:
    run = judged(program, runner, data_for(what))
    assert [case.status for case in run.device_cases] == ["pass", status, "pass"]
    assert words in run.device_cases[1].sentence


def test_an_endless_program_does_not_hold_a_card_for_every_case(
    program: Path, runner: RunnerConfig, data: Path, tmp_path: Path
) -> None:
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


def test_the_solution_shows_that_a_gpu_works(program: Path, runner: RunnerConfig, data: Path) -> None:
    assert name_if_it_works(program, a_lab(), runner, data) == "A card"
