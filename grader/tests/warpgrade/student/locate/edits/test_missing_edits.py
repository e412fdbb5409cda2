"""Edits for statements that are missing, or stand in another place."""

from __future__ import annotations

import pytest

from warpgrade.student.locate import schemata
from warpgrade.student.locate.edits import candidates
from warpgrade.student.locate.edits.edit import Kind

TEXT = """#define SIDE 16
__global__ void f(const float* A, float* C, int m, int n) {
  int row = blockIdx.y * SIDE + threadIdx.y;
  int column = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += A[i];
    __syncthreads();
  }
  C[row] = sum;
}
__device__ float g(int k, int n) { return k < n ? 1.0f : 0.0f; }
"""


def made(kind: Kind) -> set[str]:
    """The file after each edit of the kind."""
    return {schemata.applied(TEXT, each) for each in candidates.of_file(TEXT) if each.kind is kind}


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (Kind.RESET, "++i) {\n", "++i) { sum = 0;\n"),
        (Kind.RESET, "float sum = 0;", "float sum = 0; sum = 0;"),
        (Kind.RETURN, "threadIdx.y;\n", "threadIdx.y; if (!(row < m)) return;\n"),
        (Kind.RETURN, "threadIdx.x;\n", "threadIdx.x; if (!(row < m && column < n)) return;\n"),
        (Kind.REPEATED, "++i) {\n", "++i) { __syncthreads();\n"),
        (Kind.MOVED, "    __syncthreads();\n  }\n", "     ;\n  } __syncthreads();\n"),
        (Kind.MOVED, "  }\n  C[row] = sum;", "   C[row] = sum;}\n  ;"),
    ],
)  # fmt: skip
def test_a_statement_more_or_moved(kind: Kind, old: str, new: str) -> None:
    wanted = TEXT.replace(old, new)
    assert wanted != TEXT
    assert "".join(wanted.split()) in {"".join(text.split()) for text in made(kind)}


def test_only_where_all_names_are_known() -> None:
    assert all(text.index("sum = 0;") >= text.index("float sum") for text in made(Kind.RESET))
    assert all(text.rindex("A[i]") < text.rindex("C[row] = sum;") for text in made(Kind.REPEATED))


def test_only_kernels_return_early() -> None:
    assert made(Kind.RETURN) and all("g(int k, int n) { return" in text for text in made(Kind.RETURN))


def test_two_barriers_are_one_edit_of_a_race() -> None:
    both = [each for each in candidates.of_file(TEXT, is_race=True) if each.kind is Kind.BARRIER]
    assert any(schemata.applied(TEXT, each).count("__syncthreads();") == 3 for each in both)
    assert not any(
        len(each.replacements) > 1 for each in candidates.of_file(TEXT) if each.kind is Kind.BARRIER
    )


def test_no_barrier_is_added_in_the_line_of_a_helpers_head() -> None:
    lines = {each.line for each in candidates.of_file(TEXT, is_race=True) if each.kind is Kind.BARRIER}
    assert lines and TEXT[: TEXT.index("float g(")].count("\n") + 1 not in lines


def test_a_return_is_removed() -> None:
    text = "__global__ void f(float* C, int n) { int i = threadIdx.x; if (i >= n) return; C[i] = 1; }"
    removed = {schemata.applied(text, each) for each in candidates.of_file(text) if each.kind is Kind.REMOVED}
    assert any("return" not in each for each in removed)
