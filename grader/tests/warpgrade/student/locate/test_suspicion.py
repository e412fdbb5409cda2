"""Edits of suspicious lines come before others."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from warpgrade.student.locate import suspicion
from warpgrade.student.locate.edits import candidates
from warpgrade.student.locate.edits.edit import Edit, Kind

LINES = ["__global__ void f(const float* A, float* C, int n) {"]
LINES += ["  float sum = 0;"]
LINES += [f"  float a{number} = A[{number} * n + 1];" for number in range(20)]
LINES += ["  int place = n - 1;", "  C[place + 2] = sum;", "}"]
TEXT = "\n".join(LINES)
PLACE, STORE = len(LINES) - 2, len(LINES) - 1  # lines, from 1


def place(line: int, found: Iterable[Edit]) -> int:
    """Where the first edit of a number in that line stands."""
    return next(at for at, edit in enumerate(found) if edit.line == line and edit.kind is Kind.NUMBER)


def ordered(*shown: int) -> list[Edit]:
    return suspicion.ordered(candidates.of_file(TEXT), TEXT, shown)


@pytest.mark.parametrize("line", [PLACE, STORE])
def test_lines_that_write_results_or_compute_where_come_first(line: int) -> None:
    assert place(line, ordered()) < place(line, candidates.of_file(TEXT)) / 2


def test_a_line_that_was_shown_comes_first() -> None:
    assert place(10, ordered(10)) < place(10, ordered()) / 2


def test_no_edit_is_lost() -> None:
    found = ordered(10)
    assert set(found) == set(candidates.of_file(TEXT))
