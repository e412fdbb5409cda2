"""Systematic mutants: which are made."""

from __future__ import annotations

import pytest

from support import sample_results
from warpgrade.staff import mutation_operators

LAB = sample_results.lab()

KERNEL = """\
const int before = a < b;
constexpr int TILE = 16;
#define LESS m < n
//> solution
  float sum = 0.0f;  // m < n stays in a comment
  if (row < m && column < n) {
    for (int i = 0; i < k; ++i) sum += A[row * k + i];
    __syncthreads();
    C[row * n + column] = sum;
  }
//< solution
/*> stub
// TODO(1): m < n
  row = m < n;
<*/
const int after = a < b;
"""


def made(line: str) -> set[str]:
    text = f"//> solution\n{line}\n//< solution\n"
    return {mutant.after for mutant in mutation_operators.mutants(text, LAB)}


def test_only_code_is_changed_and_not_what_a_student_may_choose() -> None:
    found = mutation_operators.mutants(KERNEL, LAB)
    assert {mutant.line for mutant in found} == {1, 5, 6, 7, 8, 9, 16}
    assert all("// m < n stays" in mutant.text for mutant in found)
    assert len({mutant.text for mutant in found}) == len(found) and KERNEL not in {m.text for m in found}


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("if (row < m && x) y();", {"if (true) y();", "if (row <= m && x) y();", "if (row < m || x) y();"}),
        ("__syncthreads();", {";"}),
        ("C[i + n] = sum;", {";", "C[i - n] = sum;", "C[i + m] = sum;"}),
        ("float sum = 0.0f;", {"float sum = 1.0f;"}),
        ("sum += a[tx] * b[i];", {"sum = a[tx] * b[i];", "sum += a[tx] + b[i];"}),
        ("const int x = threadIdx.x;", {"const int x = threadIdx.y;"}),
        ("int ty = 0; int x = a[tx];", {"int ty = 0; int x = a[ty];"}),
        ("int first_column; int x = first_row;", {"int first_column; int x = first_column;"}),
        ("int first_step; int x = first_stop;", {"int first_step; int x = first_step;"}),
        ("atomicAdd(&own[bin], 1u);", {"own[bin] += 1u;", "atomicAdd(&own[bin + 1], 1u);"}),
        ("atomicAdd(total, sum);", {"*total += sum;"}),
        ("__syncwarp();", {";"}),
        ("tile[y][x] = 1;", {"tile[x][y] = 1;", "tile[y - 1][x] = 1;"}),
        ("const double s = sin(v);", {"const float s = sin(v);"}),
        ("unsigned long long sum = f(v);", {"unsigned sum = f(v);"}),
        ("const int i = f(v);", {"const short i = f(v);"}),
        ("int x = id / TILE;", {"int x = id / (TILE - 1);", "int x = id % TILE;"}),
        ("for (int i = 0; i < w; ++i) f(i);", {"for (int i = 0; i < w; ++++i) f(i);"}),
    ],
)
def test_rules(line: str, some: set[str]) -> None:
    assert some <= made(line)


def test_a_name_in_a_comment_is_no_twin() -> None:
    found = made("int x = first_stop + 1;  // not first_step")
    assert found and not any("first_step" in text.partition("//")[0] for text in found)


def test_the_size_of_an_array_is_no_index() -> None:
    for memory in ("__shared__", "__device__", "__constant__"):
        assert not {text for text in made(f"{memory} float tile[SIDE];") if "SIDE + 1" in text}
