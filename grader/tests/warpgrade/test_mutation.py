"""Systematic mutants: which are made, and what becomes of them."""

from __future__ import annotations

import pytest
from fake_house import GOOD, LAB, write

from warpgrade import mutation
from warpgrade.errors import InstructorError
from warpgrade.workshop import Workshop

KERNEL = """\
const int before = a < b;
//> solution
  float sum = 0.0f;  // m < n stays in a comment
  if (row < m && column < n) {
    for (int i = 0; i < k; ++i) sum += A[row * k + i];
    __syncthreads();
    C[row * n + column] = sum;
  }
//< solution
const int after = a < b;
"""


def made(line: str) -> set[str]:
    text = f"//> solution\n{line}\n//< solution\n"
    return {mutant.after for mutant in mutation.mutants(text)}


def test_only_code_of_the_solution_is_changed() -> None:
    found = mutation.mutants(KERNEL)
    assert {mutant.line for mutant in found} == {3, 4, 5, 6, 7}
    assert all("// m < n stays" in mutant.text for mutant in found)
    assert len({mutant.text for mutant in found}) == len(found) and KERNEL not in {m.text for m in found}


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("if (row < m && x) y();", {"if (true) y();", "if (row <= m && x) y();", "if (row < m || x) y();"}),
        ("__syncthreads();", {";"}),
        ("C[i + n] = sum;", {";", "C[i - n] = sum;", "C[i + m] = sum;"}),
        ("float sum = 0.0f;", {"float sum = 1.0f;"}),
        ("sum += a[tx] * b[i];", {"sum = a[tx] * b[i];", "sum += a[ty] * b[i];", "sum += a[tx] + b[i];"}),
        ("const int x = threadIdx.x;", {"const int x = threadIdx.y;"}),
    ],
)
def test_rules(line: str, some: set[str]) -> None:
    assert some <= made(line)


def test_fates(shop: Workshop) -> None:
    """The imitated compiler takes anything: what it makes of a changed line is another code."""
    marked = f"//> solution\nx = y;\n//< solution\n{GOOD}"
    write(shop.house.solution(LAB) / "kernel.cu", marked)
    (fate,) = mutation.fates(shop.places[0], shop)
    assert fate.fate == "survived" and fate.mutant.after == ";" and mutation.unexplained((fate,))
    write(
        shop.house.solution(LAB) / "equivalents.toml",
        "[[equivalent]]\nline = 'x = y;'\nmutant = ';'\nreason = 'x is never read'\n",
    )
    (fate,) = mutation.fates(shop.places[0], shop)
    assert (fate.fate, fate.reason) == ("equivalent", "x is never read") and not mutation.unexplained((fate,))


def test_a_wrong_list_of_equivalents(shop: Workshop) -> None:
    write(shop.house.solution(LAB) / "equivalents.toml", "[[equivalent]]\nline = 'x'\n")
    with pytest.raises(InstructorError, match="missing"):
        mutation.equivalents(shop.house, LAB)
