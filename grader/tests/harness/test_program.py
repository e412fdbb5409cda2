"""A lab's harness as a program, on the emulator: what it prints, writes and returns."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
ENVIRONMENT = os.environ | {"LD_LIBRARY_PATH": str(ROOT / "build/emulator")}
HARNESS = ROOT / "build/harness/02-tiled"
CASES = [
    {"name": "small", "parameters": {"m": 16, "n": 32, "k": 16}, "values": "integers", "seed": "1"},
    {"name": "large", "parameters": {"m": 48, "n": 16, "k": 64}, "values": "zero-mean", "seed": "2"},
]
KERNEL = """
#include <cstdio>
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)
extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
  EXTRA
  C[row * n + column] = sum;
}
"""


class Bench:
    """A folder with data and results, and the harness of lab 02."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.findings = folder / "findings.jsonl"
        self.counters = folder / "counters.jsonl"
        wanted = folder / "wanted.json"
        wanted.write_text(json.dumps({"lab": "02-tiled", "cases": CASES}))
        generator = [HARNESS, "--mode", "make", "--cases", wanted, "--out", self.data]
        subprocess.run(generator, check=True, env=ENVIRONMENT)

    def kernel(self, extra: str = "", source: str = KERNEL) -> Path:
        """A fat binary of KERNEL with one more statement in it."""
        file = self.folder / "kernel.cu"
        file.write_text(source.replace("EXTRA", extra))
        target = ["-gencode", "arch=compute_75,code=compute_75", "--no-compress", "-lineinfo"]
        compiler = [
            ROOT / ".deps/cuda/bin/nvcc",
            "-std=c++17",
            "-fatbin",
            *target,
            "-I",
            ROOT / "labs/common",
        ]
        subprocess.run([*compiler, "-o", file.with_suffix(".fatbin"), file], check=True)
        return file.with_suffix(".fatbin")

    def run(self, *arguments: str | Path, results: str = "results.jsonl") -> subprocess.CompletedProcess[str]:
        logs = {"WARPGRADE_FINDINGS": str(self.findings), "WARPGRADE_COUNTERS": str(self.counters)}
        command = [HARNESS, "--kernels", "matmul_tiled"]
        command += ["--results", self.folder / results, *arguments]
        return subprocess.run(command, env=ENVIRONMENT | logs, capture_output=True, text=True, timeout=120)

    def check(self, kernel: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("--kernel", kernel, "--data", self.data, *arguments)

    def records(self) -> list[dict[str, Any]]:
        return lines(self.folder / "results.jsonl")

    def cases(self) -> dict[str, dict[str, Any]]:
        return {record["case"]: record for record in self.records() if record["record"] == "case"}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_right_kernel(bench: Bench) -> None:
    done = bench.check(bench.kernel())
    assert (done.returncode, done.stdout) == (0, "")
    kinds = [record["record"] for record in bench.records()]
    assert kinds == ["environment", "launch_shape", "begin", "case", "begin", "case", "end"]
    assert bench.records()[0]["emulated"] is True
    assert [case["status"] for case in bench.cases().values()] == ["pass", "pass"]
    assert [launch["label"] for launch in lines(bench.counters)] == ["small", "large"]


def test_a_wrong_kernel_is_explained(bench: Bench) -> None:
    assert bench.check(bench.kernel("if (k == 64 && row == 40) sum += 1;")).returncode == 1
    assert bench.cases()["small"]["status"] == "pass"
    wrong = bench.cases()["large"]["wrong"]
    assert (wrong["index"], wrong["count"]) == ([40, 0], 16)
    assert (wrong["block"], wrong["thread"]) == ([0, 2], [0, 8])


def test_chosen_cases_only(bench: Bench) -> None:
    kernel = bench.kernel()
    assert bench.check(kernel, "--subcase=large").returncode == 0
    assert list(bench.cases()) == ["large"]
    done = bench.check(kernel, "--subcase=huge")
    assert done.returncode == 2
    assert "no case was run" in done.stderr


def test_standard_output_is_the_kernels(bench: Bench) -> None:
    done = bench.check(bench.kernel('if (m == 16 && row == 0 && column == 0) printf("hello\\n");'))
    assert (done.returncode, done.stdout) == (0, "hello\n")


def test_after_a_fault_the_process_ends(bench: Bench) -> None:
    done = bench.check(bench.kernel("sum += A[1 << 28];"))
    assert done.returncode == 1
    assert list(bench.cases()) == ["small"]
    case = bench.cases()["small"]
    assert (case["status"], case["cuda_error"]) == ("cuda_error", "cudaErrorIllegalAddress")
    assert case["sticky"] is True
    assert bench.records()[-1]["record"] == "case"
    assert {finding["label"] for finding in lines(bench.findings)} == {"small"}


def test_a_read_just_outside_an_input_is_a_fault(bench: Bench) -> None:
    bench.check(bench.kernel("sum += 0 * A[m * k];"), "--subcase=small")
    assert lines(bench.findings)[0]["memory"]["allocation"] == "A"


@pytest.mark.parametrize(
    ("source", "status"),
    [
        (KERNEL.replace("matmul_tiled", "matmul_tilde"), "kernel_missing"),
        (KERNEL.replace("LAUNCH_SHAPE(16, 16, 16, 16)", ""), "launch_shape"),
        (KERNEL.replace("LAUNCH_SHAPE(16, 16, 16, 16)", "LAUNCH_SHAPE(64, 32, 16, 16)"), "launch_shape"),
        (KERNEL.replace("LAUNCH_SHAPE(16, 16, 16, 16)", "LAUNCH_SHAPE(16, 0, 16, 16)"), "launch_shape"),
    ],
)
def test_a_kernel_that_cannot_be_launched(bench: Bench, source: str, status: str) -> None:
    assert bench.check(bench.kernel(source=source)).returncode == 1
    assert {case["status"] for case in bench.cases().values()} == {status}
    assert bench.records()[-1]["record"] == "end"


def test_a_file_that_is_no_fat_binary(bench: Bench) -> None:
    file = bench.folder / "kernel.fatbin"
    file.write_text("nothing of the kind")
    assert bench.check(file).returncode == 1
    assert {case["status"] for case in bench.cases().values()} == {"cuda_error"}


def test_bad_usage_and_bad_data_are_refused(bench: Bench) -> None:
    kernel = bench.kernel()

    def refused(*arguments: str | Path, results: str = "results.jsonl") -> str:
        done = bench.run(*arguments, results=results)
        assert (done.returncode, done.stdout) == (2, "")
        return done.stderr

    assert "--kernel FILE.fatbin is missing" in refused()
    assert "unknown option --data-folder" in refused("--data-folder", "x")
    assert "none.fatbin cannot be read" in refused("--kernel", "none.fatbin", "--data", bench.data)
    assert "cases.json: the file is missing" in refused("--kernel", kernel, "--data", bench.folder / "none")
    assert "cannot write the results" in refused(
        "--kernel", kernel, "--data", bench.data, results="none/results.jsonl"
    )
    (bench.data / "large/C.npy").write_bytes(b"cut")
    assert "large/C.npy: this is not an .npy file" in refused("--kernel", kernel, "--data", bench.data)


def test_times_are_taken_of_student_and_reference(bench: Bench) -> None:
    kernel = bench.kernel()
    done = bench.run(
        "--kernel",
        kernel,
        "--reference",
        kernel,
        "--mode",
        "time",
        "--parameters",
        "m,n,k",
        "--sizes",
        "32x16x48,16x16x16",
        "--values",
        "zero-mean",
    )
    assert (done.returncode, done.stdout) == (0, "")
    times = [record for record in bench.records() if record["record"] == "time"]
    assert [time["size"] for time in times] == [[32, 16, 48], [16, 16, 16]]
    assert {time["checked"] for time in times} == {"pass"}
    assert {(len(time["student_ms"]), time["emulated"]) for time in times} == {(1, True)}
    assert [launch["label"] for launch in lines(bench.counters)] == [
        "time/32x16x48/student",
        "time/32x16x48/reference",
        "time/16x16x16/student",
        "time/16x16x16/reference",
    ]


def test_help_names_the_options() -> None:
    done = subprocess.run([HARNESS, "--help"], env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0
    assert "--reference" in done.stdout
