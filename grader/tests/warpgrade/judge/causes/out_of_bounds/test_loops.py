"""Loops that lead an access out of its array."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.out_of_bounds import loops
from warpgrade.records import Case, Finding, Memory, Place, Visibility

CASE = Case("c", ("m", "n", "k"), (15, 20, 64), "integers", 1.0, Visibility.VISIBLE)
TILES = "__shared__ float As[16][16], Bs[16][16], line[16];\n"
GLOBAL = Memory("global", "0x0", 4, "A", 4 * 960, 0, "after")


def shared(name: str, size: int = 1024) -> Memory:
    return Memory("shared", "0x0", 4, f"shared array {name}", size, 0, "after")


def advised(text: str, memory: Memory, code: str = "WG101") -> Finding:
    text = TILES + text
    place = Place("kernel.cu", text.count("\n") + 1)
    found = Finding("c", "memory", "x", code, "error", "m", place, memory=memory, help="own")
    return loops.advised(found, text, CASE)


@pytest.mark.parametrize("index", ["ph * TILE + tx", "row * k + TILE * ph + tx"])
def test_a_step_that_is_counted_twice(index: str) -> None:
    found = advised(f"for (int ph = 0; ph < k; ph += TILE) {{\n  x = A[{index}];", GLOBAL)
    assert found.cause == loops.TWICE and "ph grows by TILE in each turn of the loop in line 2" in found.help


@pytest.mark.parametrize(
    "text",
    [
        "for (int ph = 0; ph < k; ph += TILE) {\n  x = A[ph + tx];",
        "for (int ph = 0; ph < k; ++ph) {\n  x = A[ph * TILE + tx];",
        "for (int ph = 0; ph < k; ph += 16) {\n  x = A[ph * TILE + tx];",
    ],
)
def test_a_step_that_is_not(text: str) -> None:
    assert advised(text, GLOBAL).help == "own"


@pytest.mark.parametrize(
    ("line", "name", "words"),
    [
        ("for (int i = 0; i < k; i++) s += As[ty][i] * Bs[i][tx];", "Bs",
         "lets i run to below k, which is 64 here, and Bs has 16 rows: end the loop there."),
        ("for (int i = 0; i < k; i++) s += As[ty][i] * Bs[i][tx];", "As", "and As has 16 columns"),
        ("for (int i = 0; i <= 16; i++) s += Bs[i][tx];", "Bs", "lets i run up to 16, and Bs has 16 rows"),
    ],
)  # fmt: skip
def test_a_bound_that_is_not_the_arrays(line: str, name: str, words: str) -> None:
    found = advised(line, shared(name))
    assert found.cause == loops.CAUSE and words in found.help


def test_elements_of_a_line() -> None:
    assert "line has 16 elements" in advised("for (i = 0; i < k; ++i) s += line[i];", shared("line", 64)).help


@pytest.mark.parametrize(
    "line",
    [
        "for (int i = 0; i < 16; i++) s += Bs[i][tx];",
        "for (int i = 0; i < unknown; i++) s += Bs[i][tx];",
        "for (int i = 0; i < k; i++) s += Bs[i + 1][tx];",
        "for (int i = 0; j < k; i++) s += Bs[i][tx];",
    ],
)
def test_a_bound_that_is_right_or_not_known(line: str) -> None:
    assert advised(line, shared("Bs")).help == "own"


def test_only_accesses_out_of_bounds() -> None:
    assert advised("for (int i = 0; i < k; i++) s += Bs[i][tx];", shared("Bs"), code="WG121").help == "own"


@pytest.mark.parametrize(
    ("head", "cause"),
    [
        ("for (int p = 0; p <= phases; p++) {", loops.CAUSE),
        ("for (int p = 0; p < phases; p++) {", "outside-the-array"),
        ("for (int p = -2; p <= 2; p++) {", "outside-the-array"),
        ("for (int p = 0; p <= phases - 1; p++) {", "outside-the-array"),
    ],
)
def test_a_turn_too_many_of_a_loop_over_phases(head: str, cause: str) -> None:
    memory = Memory("global", "0x0", 4, "B", 4 * 1024, 64, "after")
    place = Place("kernel.cu", 2, access="read")
    found = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help="own")
    found = replace(found, cause="outside-the-array")
    assert loops.advised(found, f"{head}\n  b[y][x] = B[(32 * p + y) * n + x];\n}}", CASE).cause == cause
