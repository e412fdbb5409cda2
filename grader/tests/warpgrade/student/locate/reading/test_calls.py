"""Functions that may run where some kernels are launched."""

from __future__ import annotations

import pytest

from warpgrade.student.locate.edits import candidates
from warpgrade.student.locate.reading import calls, source

TEXT = """
#define TWICE(x) (scaled(x) + 1)
template <class T> __device__ T scaled(T x) { return 2 * x; }
__device__ int deep(int x) { return x + 3; }
__device__ int next(int x) { return deep(x) + 4; }
__global__ void __launch_bounds__(256) first(int* y) { y[0] = next(5); }
__global__ void second(int* y) { y[0] = 6; }
"""


@pytest.mark.parametrize(
    ("kernels", "numbers"),
    [(["first"], "2345"), (["second"], "26"), ([], "23456"), (["first", "another"], "23456")],
)
def test_a_kernel_and_what_it_calls(kernels: list[str], numbers: str) -> None:
    made = source.read(TEXT)
    bodies = [made.between(*body) for body in calls.reached(made, kernels)]
    assert [each for each in "23456" if any(each in body for body in bodies)] == list(numbers)


def test_edits_of_one_kernel_leave_the_others_alone() -> None:
    lines = {edit.line for edit in candidates.of_file(TEXT, kernels=["second"])}
    assert lines == {3, 7}


@pytest.mark.parametrize("text", ["", "void f() {", "} ) {", "__global__ void f() { f(); }"])
def test_broken_files_raise_nothing(text: str) -> None:
    list(calls.reached(source.read(text), ["f"]))
