"""A launch's time, predicted for a program and for a source file, with the checkout's own tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from warpgrade.cli import main as cli
from warpgrade.core.errors import UsageError
from warpgrade.core.paths import here
from warpgrade.gpu import spec
from warpgrade.student import predict as prediction

VADD = """
#include <cuda_runtime.h>
__global__ void vadd(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
int main() {
    float* v;
    cudaMalloc(&v, 3 * 4096 * sizeof(float));
    cudaMemset(v, 0, 3 * 4096 * sizeof(float));
    vadd<<<16, 256>>>(v, v + 4096, v + 8192, 4096);
    return cudaDeviceSynchronize();
}
"""


def test_model_of_a_source_file_reads_the_machine_code_that_was_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WARPGRADE_ROOT", raising=False)
    source = tmp_path / "vadd.cu"
    source.write_text(VADD, encoding="utf-8")
    result = CliRunner().invoke(cli.cli, ["model", str(source), "--json"])
    assert result.exit_code == 0, (result.output, result.exception)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["grid"], row["block"]) for row in rows] == [([16, 1, 1], [256, 1, 1])]
    assert rows[0]["exact"] and rows[0]["registers"] > 0 and rows[0]["milliseconds"] > 0


UNEVEN = """
#include <cuda_runtime.h>
__global__ void few(float* c, int n) {
    if (IDLE) return;
    float sum = threadIdx.x;
    for (int i = 0; i < n; ++i) sum = sum * 0.5f + i;
    c[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + threadIdx.x] = sum;
}
int main() {
    float* c;
    cudaMalloc(&c, 64 * 64 * 32 * sizeof(float));
    few<<<dim3(64, 64), 32>>>(c, 1000);
    return cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize(
    "idle",
    ["blockIdx.y > 20", "blockIdx.x < 3 * blockIdx.y", "blockIdx.x + blockIdx.y < 96"],
    ids=["rows", "below a line", "all that eight are"],
)
def test_more_blocks_run_where_the_sampled_ones_say_little(tmp_path: Path, idle: str) -> None:
    source = tmp_path / "few.cu"
    source.write_text(UNEVEN.replace("IDLE", idle), encoding="utf-8")
    gpu = spec.load(here(), "h200")
    found, whole = (prediction.predict(here(), source, (), gpu, sample)[0] for sample in (8, 0))
    assert found.launch.mix and whole.launch.mix
    assert found.launch.mix.instructions == pytest.approx(whole.launch.mix.instructions, rel=0.1)
    assert found.time.milliseconds == pytest.approx(whole.time.milliseconds, rel=0.1)


def test_an_error_says_what_a_program_is(tmp_path: Path) -> None:
    gpu = spec.load(here(), "h200")
    (tmp_path / "README.md").write_text("hello")
    with pytest.raises(UsageError, match="is neither a"):
        prediction.predict(here(), tmp_path / "README.md", (), gpu, 8)
    (tmp_path / "kernel.cu").write_text('#include "launch_shape.cuh"\n')
    with pytest.raises(UsageError, match="nvcc does not compile it") as caught:
        prediction.predict(here(), tmp_path / "kernel.cu", (), gpu, 8)
    assert "check LAB" in caught.value.remedy
