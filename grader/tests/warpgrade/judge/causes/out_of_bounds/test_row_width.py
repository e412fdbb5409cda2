"""Advice on an index that multiplies by another extent than the length of a row."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes.out_of_bounds import row_width
from warpgrade.records import Case, Visibility

CASE = Case("c", ("m", "n", "k"), (15, 20, 10), "integers", 1.0, Visibility.VISIBLE)
TEXT = """
__device__ float element(const float* matrix, int rows, int columns, int row, int column) {
  return row < rows ? matrix[row * WIDTH + column] : 0.0f;
}
__global__ void kernel(const float* A, int m, int n, int k) { use(element(A, m, k, 1, 2)); }
"""


def advice(source: str, text: str = "") -> str:
    return row_width.advice(source, text, "A", "A has 15 × 10 elements (m × k)", ("m", "k"), CASE)


def test_in_the_line_itself() -> None:
    assert "A has 15 × 10 elements (m × k): a row of it has k elements, and this index multiplies by m." in (
        advice("x = A[row * m + i];")
    )
    assert advice("x = A[row * k + i] + B[i * m];") == advice("x = B[i * m];") == ""


@pytest.mark.parametrize(("width", "is_wrong"), [("rows", True), ("columns", False), ("other", False)])
def test_in_a_function_that_is_given_the_matrix(width: str, is_wrong: bool) -> None:
    text = TEXT.replace("WIDTH", width)
    words = advice(text.strip().split("\n")[1], text)
    assert ("multiplies by rows, which is m where A is given. Row r begins at r * k." in words) == is_wrong
    assert advice("x = matrix[row * rows];", text) == "", "a line of no function"
