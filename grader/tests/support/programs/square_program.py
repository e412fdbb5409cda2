"""A student's whole program that squares numbers on the device, graded beside the back end."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from pathlib import Path

from support.backends import strongest
from support.programs import case_data
from support.programs.case_data import CaseArray
from warpgrade.build import toolkit
from warpgrade.build.compiler import Compiler
from warpgrade.build.program import PROGRAM, build_program
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.records import BuildStatus, Lab, Run, SourceFile, Submission, Technique
from warpgrade.run.harness import RunnerConfig
from warpgrade.run.programs.program import run_program

REPOSITORY = here()
N = 1000
CASE = "squares"
X = CaseArray("input", "float", struct.unpack(f"<{N}f", struct.pack(f"<{N}f", *map(math.sin, range(N)))))
CAN_RUN = REPOSITORY.backend.exists() and (REPOSITORY.toolkit / "bin" / "nvcc").exists()

BEGIN = r"""
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <fcntl.h>
#include <unistd.h>
#define CHECK(call) do { if (const cudaError_t e = (call)) { \
  std::fprintf(stderr, "%s\n", cudaGetErrorString(e)); std::exit(1); } } while (0)
__global__ void square(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}
char head[128];
std::vector<float> read(const char* path) {
  std::FILE* in = std::fopen(path, "rb");
  std::vector<float> values(1000);
  if (!in || std::fread(head, 1, 128, in) != 128) std::exit(9);
  if (std::fread(values.data(), 4, 1000, in) != 1000) std::exit(9);
  std::fclose(in);
  return values;
}
void put(const char* path, const void* from, std::size_t bytes, const char* mode) {
  std::FILE* out = std::fopen(path, mode);
  if (!out) return;
  std::fwrite(from, 1, bytes, out);
  std::fclose(out);
}
void write(const char* path, const float* values) {
  put(path, head, 128, "wb");
  put(path, values, 4000, "ab");
}
"""
PLAIN = r"""
int main(int, char** argv) {
  std::vector<float> x = read(argv[1]), y(1000);
  float *dx, *dy;
  CHECK(cudaMalloc(&dx, 4000));
  CHECK(cudaMalloc(&dy, 4000));
  CHECK(cudaMemcpy(dx, x.data(), 4000, cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  square<<<4, 256>>>(dx, dy, 1000);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  std::printf("%.4f ms\n", ms);
  CHECK(cudaMemcpy(y.data(), dy, 4000, cudaMemcpyDeviceToHost));
  write(argv[2], y.data());
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaFree(dx);
  cudaFree(dy);
}
"""
MANAGED = r"""
int main(int, char** argv) {
  std::vector<float> x = read(argv[1]);
  float* both;
  CHECK(cudaMallocManaged(&both, 8000));
  for (int i = 0; i < 1000; ++i) both[i] = x[i];
  square<<<4, 256>>>(both, both + 1000, 1000);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  write(argv[2], both + 1000);
  CHECK(cudaFree(both));
}
"""


def squares(type: str) -> CaseArray:
    return CaseArray("output", type, expected=[value * value for value in X.values], tolerance=1e-6)


def data_in(folder: Path) -> Path:
    """The folder, with the lab's one case in it."""
    return case_data.write(folder, {CASE: {"x": X, "y": squares("float")}})


def a_lab() -> Lab:
    first = lab.find(REPOSITORY)[0]
    technique = Technique("errors", "unnoticed == 0", CASE, 10)
    return replace(
        first,
        files=("program.cu",),
        cases=(replace(first.cases[0], name=CASE),),
        techniques=(technique,),
    )


def graded(text: str, data: Path, folder: Path, lab_of: Lab | None = None) -> Run:
    item = lab_of or a_lab()
    submission = Submission("you", "lab", "you", (SourceFile("program.cu", text),), "")
    tools = toolkit.find(REPOSITORY)
    compiler = Compiler(REPOSITORY, tools, strongest())
    built = build_program(submission, item, compiler, folder)
    assert built.status == BuildStatus.BUILT, built.summary
    runner = RunnerConfig(REPOSITORY, tools, strongest(), threads=1)
    return run_program(built, folder / PROGRAM, submission, item, runner, compiler, data)


def counted(run: Run) -> dict[str, int]:
    return run.launches[0].counters
