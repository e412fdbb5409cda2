"""What a wrong answer points at: C that is read before it is written, a launch shape that does not add up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.wrong_answer import wrong_answer
from warpgrade.records import LaunchShape, SourceFile, Submission, Wrong

NAN = Wrong(256, 256, "C", (16, 16), (0, 0), 1.0, "nan", pattern="all")
UNWRITTEN = Wrong(192, 256, "C", (16, 16), (0, 8), 1.0, "never written", pattern="never-written")
SHAPE, SMALL = LaunchShape((16, 16), (16, 16)), LaunchShape((8, 8), (16, 16))


def sentences(wrong: Wrong, text: str = "", shape: LaunchShape = SHAPE) -> str:
    handed_in = Submission("s", "01-basic", "s", (SourceFile("kernel.cu", text),), "0")
    return " ".join(doubt.words for doubt in wrong_answer.doubts(wrong, shape, handed_in))


@pytest.mark.parametrize(
    "line", ["C[row * n + i] += a;", "C[i] = C[i] + a;", "x = a * C[b[i]];", "atomicAdd(&C[i], a);"]
)
def test_c_does_not_begin_as_zero(line: str) -> None:
    assert "C does not begin as zero" in sentences(NAN, line)


@pytest.mark.parametrize(
    "line", ["C[row * n + i] = sum;", "// C[i] += a;", "C[i] += beta * a;", "Cs[i] += 1;"]
)
def test_c_that_is_only_written_is_not_blamed(line: str) -> None:
    assert sentences(NAN, line) == ""


@pytest.mark.parametrize(
    ("arguments", "is_swapped"), [("bits, sum, seen", True), ("bits, seen, sum", False), ("bits, 0, 1", True)]
)
def test_a_swap_is_not_blamed_where_it_expects_what_was_read(arguments: str, is_swapped: bool) -> None:
    text = f"void add(int* bits) {{ int seen = *bits; atomicCAS({arguments}); }}"
    assert (
        "writes `wanted` only where" in sentences(replace(UNWRITTEN, pattern="unchanged"), text)
    ) == is_swapped


def test_numbers_are_not_blamed_on_c() -> None:
    assert sentences(replace(NAN, got=7.0), "C[i] += a;") == ""


def test_too_few_threads_for_what_a_block_computes() -> None:
    words = sentences(UNWRITTEN, shape=SMALL)
    assert words.startswith("LAUNCH_SHAPE(8, 8, 16, 16): a block has 64 threads for 256 elements of C.")
    assert "each thread write 4 of them" in words


def test_a_shape_is_not_blamed_for_what_it_does_not_explain() -> None:
    assert (
        sentences(UNWRITTEN)
        == sentences(replace(UNWRITTEN, count=256), shape=SMALL)
        == sentences(NAN, shape=SMALL)
        == ""
    )


def test_blocks_that_come_to_none_of_their_elements() -> None:
    words = sentences(replace(UNWRITTEN, pattern="blocks-never-written"), shape=LaunchShape((16, 4), (16, 8)))
    assert "each step of blockIdx.x is 16 columns and each step of blockIdx.y is 8 rows of C" in words
    assert "Does each thread" not in words
    sums = Wrong(4, 5, "sums", (5,), (1,), 1.0, "never written", pattern="blocks-never-written")
    assert "each step of blockIdx.x is 1 element of sums" in sentences(sums, shape=LaunchShape((64,), (1,)))


def test_a_tile_of_integers() -> None:
    zeros = replace(NAN, got=0.0, pattern="zeros")
    assert "tile holds integers" in sentences(zeros, "__shared__ int tile[16][17];")
    assert sentences(zeros, "__shared__ float tile[16][17]; __shared__ int ends[16];") == ""


def test_integers_of_another_kernel_lose_nothing() -> None:
    add = "{ int i = 0; i += x[3]; }\n"
    text = f"__global__ void one() {{ }}\n__global__ void two() {add}"
    zeros = replace(NAN, got=0.0, pattern="zeros")
    assert sentences(replace(zeros, kernel="one"), text) == ""
    assert "i holds integers" in sentences(replace(zeros, kernel="two"), text)
    helper = f"__device__ float sum() {add}"
    assert "i holds integers" in sentences(replace(zeros, kernel="one"), helper + text), "what it may call"
    assert "i holds integers" in sentences(replace(zeros, kernel="one"), text + helper)


def test_arrays_are_called_by_their_names() -> None:
    vector = Wrong(9, 9, "sums", (9,), (0,), 1.0, "nan", pattern="all")
    assert "sums does not begin as zero" in sentences(vector, "sums[i] += a;")
    assert sentences(vector, "C[i] += a;") == ""
    partly = replace(vector, got="never written", pattern="never-written", count=6)
    words = sentences(partly, shape=LaunchShape((64,), (256,)))
    assert words.startswith("LAUNCH_SHAPE_1D(64, 256): a block has 64 threads for 256 elements of sums.")


def test_the_launch_that_covers_the_array() -> None:
    first, second = LaunchShape((32,), (32,), "partial"), LaunchShape((64,), (128,), "final")
    owned = Wrong(1, 500, "y", (500,), (300,), 1.0, 2.0, block=(2,), first=(256,), last=(383,))
    assert wrong_answer.covering(owned, (first, second)) == second
    assert wrong_answer.covering(owned, (first,)) is None
    assert wrong_answer.covering(replace(owned, block=None), (first, second)) is None
    volume = Wrong(1, 24, "V", (2, 3, 4), (1, 2, 3), 1.0, 2.0, block=(1, 2, 0), first=(0, 2, 2))
    cube = LaunchShape((2, 1, 1), (2, 1, 4))
    assert wrong_answer.covering(volume, (second, cube)) == cube


def test_a_loop_s_variable_is_no_sum() -> None:
    zeros = replace(NAN, got=0.0, pattern="zeros")
    text = "for (int i = 0; i < 8; i += GROUP)\n  *a = *reinterpret_cast<const float4*>(&tile[i]);"
    assert sentences(zeros, text) == ""
    assert "i holds integers" in sentences(zeros, "int i = 0;\ni += x[3];")
    assert "i holds integers" in sentences(zeros, "int i = 0;\ni += *a * *b;")
    assert sentences(zeros, "int i = 0;\ni += a * b;") == "", "an index"


ZEROS = replace(NAN, got=0.0, pattern="zeros")


@pytest.mark.parametrize("name", ["__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync"])
def test_a_shuffle_that_replaces_what_the_lane_had(name: str) -> None:
    assert f"value = {name}(…, value, …) replaces" in sentences(ZEROS, f"value = {name}(~0u, value, half);")


@pytest.mark.parametrize(
    "line",
    [
        "value += __shfl_down_sync(~0u, value, half);",
        "other = __shfl_down_sync(~0u, value, half);",
        "value = __shfl_sync(~0u, value, 0);",  # all get what one lane has
        "value = max(value, __shfl_xor_sync(~0u, value, half));",
    ],
)
def test_a_shuffle_that_joins_is_not_blamed(line: str) -> None:
    assert sentences(ZEROS, line) == ""


def test_a_swap_that_is_never_made() -> None:
    unchanged = replace(NAN, got=2.0, pattern="unchanged")
    assert "writes `wanted` only where `seen` stands" in sentences(unchanged, "atomicCAS(p, wanted, seen);")
    assert sentences(unchanged, "atomicAdd(p, 1);") == sentences(ZEROS, "atomicCAS(p, a, b);") == ""


@pytest.mark.parametrize(
    ("text", "early"),
    [
        ("__global__ void t() { if (i >= n) return; __syncthreads(); }", True),
        ("__global__ void t() { __syncthreads(); if (i >= n) return; }", False),
        ("__device__ int f() { return; } __global__ void t() { __syncthreads(); }", False),
    ],
)
def test_threads_that_return_before_the_barrier_write_nothing(text: str, early: bool) -> None:
    words = sentences(UNWRITTEN, text, SMALL)
    assert ("returns early writes none" in words) is early
    assert ("Does each thread write" in words) is not early


def test_the_kernel_whose_array_is_wrong_is_looked_at() -> None:
    text = "__global__ void a() { return; __syncthreads(); } __global__ void b() { __syncthreads(); }"
    assert "returns early" in sentences(replace(UNWRITTEN, kernel="a"), text, SMALL)
    assert "returns early" not in sentences(replace(UNWRITTEN, kernel="b"), text, SMALL)
