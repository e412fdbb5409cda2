"""What the grader reads from machine code, for kernels so small that every instruction is known."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import pytest

from warpgrade.build import toolkit
from warpgrade.build.emu import Emu, UnreadableFile
from warpgrade.build.sass import Code
from warpgrade.core.errors import UsageError
from warpgrade.core.paths import Repository
from warpgrade.gpu import spec
from warpgrade.gpu.occupancy import theoretical
from warpgrade.perfmodel import model
from warpgrade.perfmodel.machine_code import instruction_mix
from warpgrade.records import Launch
from warpgrade.student import predict

REPOSITORY = Repository(Path(__file__).resolve().parents[4])
H200 = spec.load(REPOSITORY, "h200")
EMU = Emu(REPOSITORY, "none")
KERNELS = r"""
extern "C" __global__ void tile(const float* A, float* C, int n) {
  __shared__ float s[256];
  float sum = 0;
  for (int p = 0; p < n; ++p) {
    s[threadIdx.x] = A[p * 256 + threadIdx.x];
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < 32; ++i) sum += s[i] * s[threadIdx.x];
    __syncthreads();
  }
  C[threadIdx.x] = sum;
}
extern "C" __global__ void copy(const float4* A, float4* C) { C[threadIdx.x] = A[threadIdx.x]; }
"""
LINES = r"""
extern "C" __global__ void k(const float* A, float* C, int n) {
  __shared__ float s[256];
  for (int p = 0; p < n; ++p) {
    s[threadIdx.x] = A[p * 256 + threadIdx.x];
    __syncthreads();
    C[p * 256 + threadIdx.x] = s[255 - threadIdx.x];
    __syncthreads();
  }
}
"""
TURNS = 40
BLOCKS, WARPS = 264, 264 * 8


def machine_code(program: bytes, folder: Path, architecture: str = "sm_90") -> dict[str, Code]:
    (folder / "program").write_bytes(program)
    return EMU.machine_code(folder / "program", architecture).kernels


def compiled(text: str, folder: Path) -> bytes:
    (folder / "k.cu").write_text(text)
    nvcc = toolkit.find(REPOSITORY).folder / "bin" / "nvcc"
    subprocess.run([nvcc, "-cubin", "-arch=sm_90", "-o", folder / "k.cubin", folder / "k.cu"], check=True)
    return (folder / "k.cubin").read_bytes()


@pytest.fixture(scope="module")
def cubin(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return compiled(KERNELS, tmp_path_factory.mktemp("cubin"))


@pytest.fixture(scope="module")
def codes(cubin: bytes, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Code]:
    return machine_code(cubin, tmp_path_factory.mktemp("codes"))


def kinds(code: Code) -> dict[str, int]:
    found: dict[str, int] = {}
    for instruction in code.instructions:
        name = f"{instruction.kind} {instruction.bytes}" if instruction.bytes else instruction.kind
        found[name] = found.get(name, 0) + 1
    return found


def counted(turns: int = TURNS) -> Launch:
    """The launch of `tile` as the emulator counts it."""
    counters = {
        "smsp__inst_executed_op_barrier.sum": WARPS * turns * 2,
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": WARPS * 32 * turns * 32,
        "smsp__sass_data_bytes_mem_global_op_ld.sum": WARPS * 128 * turns,
        "smsp__sass_data_bytes_mem_global_op_st.sum": WARPS * 128,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": WARPS * 4 * turns,
        "smsp__inst_executed.sum": WARPS * turns * 100,
        "smsp__thread_inst_executed.sum": WARPS * turns * 100 * 32,
    }
    return Launch("", "tile", (BLOCKS, 1, 1), (256, 1, 1), counters)


def test_width_registers_and_shared_memory_are_those_of_the_kernel(codes: dict[str, Code]) -> None:
    assert codes["tile"].shared_bytes == 1024
    assert codes["copy"].shared_bytes == 0
    assert 8 <= codes["copy"].registers <= 32
    assert kinds(codes["copy"])["global load 16"] == kinds(codes["copy"])["global store 16"] == 1


def test_the_loop_holds_the_work(codes: dict[str, Code]) -> None:
    code = codes["tile"]
    inside = [each for each, home in zip(code.instructions, code.homes(), strict=True) if home >= 0]
    assert sum(each.kind == "ffma" for each in inside) % 32 == 0
    assert sum(each.kind == "ffma" for each in inside) >= 32
    assert codes["copy"].loops == ()


@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_89", "sm_90", "sm_100"])
def test_branches_stay_in_the_code_whatever_the_architecture(tmp_path: Path, architecture: str) -> None:
    (tmp_path / "k.cu").write_text(KERNELS)
    nvcc = toolkit.find(REPOSITORY).folder / "bin" / "nvcc"
    subprocess.run(
        [nvcc, "-cubin", f"-arch={architecture}", "-o", "k.cubin", "k.cu"], cwd=tmp_path, check=True
    )
    for code in EMU.machine_code(tmp_path / "k.cubin", architecture).kernels.values():
        branches = [(n, each.target) for n, each in enumerate(code.instructions) if each.kind == "branch"]
        assert branches and all(0 <= target < len(code.instructions) for _, target in branches)
        assert any(number == target for number, target in branches), "code ends with a branch to itself"
        assert [loop for loop in code.loops if loop.last > loop.first] or code.kernel != "tile"


def test_runs_of_the_loop_add_up_to_what_was_counted(codes: dict[str, Code]) -> None:
    found = instruction_mix.mix(codes["tile"], counted(), lambda instruction: 30)
    assert found.warps == WARPS
    assert found.by_kind["ffma"] == pytest.approx(WARPS * TURNS * 32)
    assert found.by_kind["barrier"] == pytest.approx(WARPS * TURNS * 2)
    assert found.accesses["global store 4"] == WARPS
    twice = instruction_mix.mix(codes["tile"], counted(2 * TURNS), lambda instruction: 30)
    assert twice.instructions == pytest.approx(2 * found.instructions, rel=0.1)


def test_a_warp_alone_waits_for_its_loads(codes: dict[str, Code]) -> None:
    near = instruction_mix.mix(codes["tile"], counted(), lambda instruction: 30)
    far = instruction_mix.mix(
        codes["tile"], counted(), lambda each: 630 if each.kind == "global load" else 30
    )
    assert far.alone - near.alone == pytest.approx(600 * TURNS, rel=0.1)


def test_the_model_uses_the_machine_code(codes: dict[str, Code]) -> None:
    launch = model.with_mix(counted(), codes["tile"], 1e6, H200)
    occupancy = theoretical(H200.limits, "9.0", 256, codes["tile"].registers, codes["tile"].shared_bytes)
    time = model.time_of(launch, 1e6, H200, occupancy, alone=True)
    assert math.isfinite(time.milliseconds)
    assert time.cycles["instruction issue"] >= WARPS * TURNS * 32 / 132 / 4


def test_cubins_are_found_in_a_program_by_architecture(cubin: bytes, tmp_path: Path) -> None:
    assert set(machine_code(b"before" + cubin + b"behind", tmp_path)) == {"tile", "copy"}
    assert machine_code(b"before" + cubin, tmp_path, "sm_75") == {}


def test_a_cubin_in_a_cubin_is_its_data(codes: dict[str, Code], cubin: bytes, tmp_path: Path) -> None:
    """A kernel that brings the machine code of another one in an array is not taken for that one."""
    fast = 'extern "C" __global__ void tile() {}\n__device__ char x[] = {1};'
    array = ",".join(map(str, compiled(fast, tmp_path)))
    forger = compiled(f"{KERNELS}\n__device__ unsigned char forged[] = {{{array}}};", tmp_path)
    assert forger.count(b"\x7fELF") == 2
    for program in (forger, forger + cubin):
        assert len(machine_code(program, tmp_path)["tile"].instructions) == len(codes["tile"].instructions)


def test_other_files_hold_no_machine_code(tmp_path: Path) -> None:
    assert machine_code(b"\x7fELF" + bytes(100), tmp_path) == {} == machine_code(b"", tmp_path)


def test_a_cubin_that_is_cut_off_is_refused(cubin: bytes, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cubin"):
        machine_code(cubin[:100], tmp_path)


def test_resources_of_a_cubin(cubin: bytes, codes: dict[str, Code], tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text("")
    (tmp_path / "k.cubin").write_bytes(cubin)
    found = EMU.packed(tmp_path / "k.ptx", tmp_path / "k.ptx", tmp_path / "k.cubin").resources
    assert {name: (each.registers, each.shared_bytes) for name, each in found.items()} == {
        name: (code.registers, code.shared_bytes) for name, code in codes.items()
    }


def test_counters_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="launched no kernel"):
        predict.read(tmp_path / "none")
    (tmp_path / "odd").write_text("hello\n")
    with pytest.raises(UsageError, match="not JSON"):
        predict.read(tmp_path / "odd")


def test_machine_code_comes_from_the_lines_that_do_the_same(tmp_path: Path) -> None:
    tools = toolkit.find(REPOSITORY).folder / "bin"
    (tmp_path / "k.cu").write_text(LINES)
    ptx, cubin = tmp_path / "k.ptx", tmp_path / "k.cubin"
    subprocess.run(
        [tools / "nvcc", "-ptx", "-lineinfo", "-arch=sm_90", "-o", ptx, tmp_path / "k.cu"], check=True
    )
    subprocess.run([tools / "ptxas", "-lineinfo", "-arch=sm_90", "-o", cubin, ptx], check=True)
    text = ptx.read_text().splitlines()
    words = {"global load": "ld.global", "global store": "st.global", "shared load": "ld.shared",
             "shared store": "st.shared", "barrier": "bar"}  # fmt: skip
    seen = set()
    for each in EMU.machine_code(cubin, "sm_90").kernels["k"].instructions:
        if each.kind in words:
            assert words[each.kind] in text[each.line - 1]
            seen.add(each.kind)
    assert seen == set(words)


def test_multiply_adds_of_bytes_and_halves_take_the_pipe_that_multiplies_integers(tmp_path: Path) -> None:
    """As an H200 counted: 142.1 million instructions of that pipe, of 134.2 million HFMA2 and 7.9 of IMAD."""
    text = r"""
#include <cuda_fp16.h>
extern "C" __global__ void plain(const int* A, int* C) { C[threadIdx.x] = A[threadIdx.x]; }
extern "C" __global__ void bytes(const int* A, int* C) {
  int sum = 0, t = threadIdx.x;
  #pragma unroll
  for (int i = 0; i < 64; ++i) sum = __dp4a(A[t], sum, A[t + 32]);
  C[t] = sum;
}
extern "C" __global__ void halves(const __half2* A, __half2* C) {
  __half2 sum = A[threadIdx.x];
  #pragma unroll
  for (int i = 0; i < 64; ++i) sum = __hfma2(A[threadIdx.x + 64], sum, A[threadIdx.x + 32]);
  C[threadIdx.x] = sum;
}
"""
    found = {name: kinds(code) for name, code in machine_code(compiled(text, tmp_path), tmp_path).items()}
    assert found["plain"].get("multiply", 0) < 8
    assert found["bytes"]["multiply"] >= 32
    assert found["halves"]["multiply"] >= 32


def test_products_of_64_bits_are_wide(tmp_path: Path) -> None:
    text = r"""
extern "C" __global__ void high(const unsigned* A, unsigned* C) {
  unsigned product = A[threadIdx.x];
  #pragma unroll
  for (int i = 0; i < 64; ++i) product = __umulhi(product, A[32]);
  C[threadIdx.x] = product;
}
extern "C" __global__ void sums(const unsigned* A, unsigned long long* C) {
  unsigned long long sum = 0;
  #pragma unroll
  for (int i = 0; i < 64; ++i) sum += static_cast<unsigned long long>(A[i]) * A[threadIdx.x + i];
  C[threadIdx.x] = sum;
}
"""
    found = {name: kinds(code) for name, code in machine_code(compiled(text, tmp_path), tmp_path).items()}
    assert found["high"]["wide multiply"] >= 64
    assert found["sums"]["wide multiply"] >= 64
