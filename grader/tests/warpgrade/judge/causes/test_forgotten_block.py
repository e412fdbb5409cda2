"""Kernels that never look at their block."""

from __future__ import annotations

from warpgrade.judge.causes import forgotten_block
from warpgrade.judge.causes.races import same_turns
from warpgrade.records import Finding, Place


def test_a_kernel_that_never_looks_at_its_block() -> None:
    text = "__global__ void k(float* y) {\n  int i = threadIdx.x;\n  y[i] = 1;\n}"
    one, other = (Place("kernel.cu", 3, block=(x, 0, 0), thread=(1, 0, 0), access="write") for x in (1, 0))
    race = Finding("c", "race", "global-race", "WG114", "error", "m", one, kernel="k", other=other)
    assert same_turns.advised(race, text).cause == forgotten_block.CAUSE
    assert same_turns.advised(race, text.replace("int i =", "int i = blockIdx.x +")) == race
    helper = "__device__ int first(int n) {\n  return blockIdx.x * n;\n}\n"
    calling = helper + text.replace("= threadIdx.x", "= first(32)")
    assert forgotten_block.advice(calling, "k") == "" and forgotten_block.advice(helper + text, "k")
    assert forgotten_block.advice("#define ME blockIdx.x\n" + text, "k") == ""
    assert forgotten_block.advice(text + text.replace("k(", "l("), "") == "", "which kernel is not known"


def test_a_function_without_parameters_may_look_at_the_block() -> None:
    text = "__device__ int own() { return blockIdx.x * 4; }\n__global__ void k(int* y) { y[own()] = 1; }"
    assert forgotten_block.advice(text, "k") == ""


def test_a_block_that_draws_its_number_has_one_of_its_own() -> None:
    draws = "s_tile = (int)atomicAdd(words, 1ull); "
    text = "__global__ void k(int* words) { %s y[s_tile] = 1; }"
    assert forgotten_block.advice(text % draws, "k") == ""
    drawing = "__device__ int draw(int* words) { int tile = atomicAdd(words, 1); return tile; }\n"
    assert forgotten_block.advice(drawing + text % "s_tile = draw(words); ", "k") == ""
    assert forgotten_block.advice(text % "s_tile = 0; atomicAdd(words, 1); ", "k")
