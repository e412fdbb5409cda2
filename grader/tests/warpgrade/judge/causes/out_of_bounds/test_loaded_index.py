"""Indices that were read from another array."""

from __future__ import annotations

import pytest

from support import sample_results
from warpgrade.judge.causes.out_of_bounds import loaded_index
from warpgrade.records import Case, Finding, Memory, Place, Visibility

CASE = Case("c", ("m", "n", "k"), (4, 4, 4), "integers", 1.0, Visibility.VISIBLE)
X = Memory("global", "0x0", 8, "x", 800, -8, "before")


def advised(text: str, memory: Memory = X, cause: str = "outside-the-array") -> Finding:
    whole = f"__global__ void f(const int* columns, const double* x) {{\n{text}\n}}"
    line = next(number for number, each in enumerate(whole.split("\n"), 1) if "sum +=" in each)
    place = Place("kernel.cu", line, source=whole.split("\n")[line - 1])
    found = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help="own", cause=cause)
    return loaded_index.advised(found, whole, sample_results.lab(), CASE)


@pytest.mark.parametrize(
    "text",
    [
        "const int column = columns[k * rows + row];\nsum += values[k * rows + row] * x[column];",
        "sum += values[k] * x[columns[k]];",
        "int at = columns[k], other = 0;\nsum += x[at];",
    ],
)
def test_it_names_the_array(text: str) -> None:
    found = advised(text)
    assert found.cause == loaded_index.CAUSE
    assert "The index into x is −1, a value that this thread has read from columns" in found.help
    assert "x has 100 elements" in found.help


@pytest.mark.parametrize(
    "text",
    [
        "const int column = row - 1;\nsum += x[column];",
        "int at = columns[k];\nat = rows[k];\nsum += x[at];",
        "int at = columns[k] + 1;\nsum += x[at];",
        "sum += x[columns[k] - 1];",
        "sum += y[columns[k]];",
    ],
)
def test_others_are_not(text: str) -> None:
    assert advised(text).help == "own"


def test_a_better_cause_stays() -> None:
    assert advised("sum += x[columns[k]];", cause="index-overflow").help == "own"
