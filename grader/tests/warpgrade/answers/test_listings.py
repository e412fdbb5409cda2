"""The listings of the questions behave as their key says: each is compiled and run on the emulator."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from warpgrade.core.paths import here
from warpgrade.course import question_file

ROOT = here().root
NVCC = ROOT / ".deps" / "cuda" / "bin" / "nvcc"
LISTINGS: list[dict[str, Any]] = [
    listing
    for file in sorted((ROOT / "solutions").glob(f"*/{question_file.FILE}"))
    for row in question_file.read(file).data["question"]
    for listing in row.get("choose", {}).get("listing", [])
]
HOST = """
#include <cmath>
#include <cstdlib>
int main(int, char** words) {
  int* flags; float* x;
  cudaMallocManaged(&flags, 8); cudaMallocManaged(&x, 4);
  flags[0] = flags[1] = 0;
  *x = std::atof(words[2]);
  const int blocks = std::atoi(words[3]);
  switch (std::atoi(words[1])) {
%s
  }
  return cudaDeviceSynchronize();
}
"""

pytestmark = pytest.mark.skipif(not NVCC.exists(), reason="needs the CUDA compiler: make prepares it")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One kernel for each listing."""
    folder = tmp_path_factory.mktemp("listings")
    kernels = [
        f"__global__ void listing_{n}(int* lock, int* done, float* x) {{\n{listing['code']}\n}}\n"
        for n, listing in enumerate(LISTINGS)
    ]
    launches = [
        f"    case {n}: listing_{n}<<<blocks, 64>>>(flags, flags + 1, x); break;"
        for n in range(len(LISTINGS))
    ]
    source = folder / "listings.cu"
    source.write_text("".join(kernels) + HOST % "\n".join(launches))
    flags = ("-std=c++17", "-cudart", "shared", "-gencode", "arch=compute_75,code=compute_75")
    subprocess.run([NVCC, *flags, source, "-o", folder / "listings"], check=True, capture_output=True)
    return folder / "listings"


@pytest.mark.parametrize("number", range(len(LISTINGS)))
def test_a_listing_ends_or_hangs_as_its_key_says(number: int, program: Path) -> None:
    listing = LISTINGS[number]
    environment = os.environ | {
        "LD_LIBRARY_PATH": str(ROOT / "build" / "emulator"),
        "WARPGRADE_STEP_LIMIT": "100000",
        "WARPGRADE_FINDINGS": os.devnull,
    }
    command = [program, str(number), str(listing["x"]), str(listing["grid"])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 702 % 256), done.stderr  # cudaErrorLaunchTimeout
    assert (done.returncode != 0) == bool(listing["answer"]), done.stdout + done.stderr


def test_there_are_listings_of_both_kinds() -> None:
    assert len(LISTINGS) >= 9 and {listing["answer"] for listing in LISTINGS} == {0, 1}
