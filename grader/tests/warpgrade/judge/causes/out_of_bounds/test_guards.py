"""Conditions that let a wrong access through."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support import sample_results
from warpgrade.judge.causes.out_of_bounds import guards
from warpgrade.records import Finding, Memory, Place

A = Memory("global", "0x0", 4, "A", 4 * 150, 0, "after")
TILE = Memory("shared", "0x0", 4, "shared array tile", 4 * 1056, 28, "inside")
EXCHANGED = "if (y + j < k && x < m) tile[j][t] = A[(y + j) * k + x];"


def advised(
    line: str,
    memory: Memory = A,
    check: str = "memory",
    cause: str = "outside-the-array",
    extents: tuple[str, ...] = ("m", "k"),
) -> Finding:
    text = f"first line\n{line}\nx = tile[t][j];"
    at = text[: text.index("A[") if "A[" in text else 0].count("\n") + 1
    place = Place("kernel.cu", at if memory is A else 3)
    found = Finding("c", check, "x", "WG1", "error", "m", place, memory=memory, help="own", cause=cause)
    lab = sample_results.lab()
    arrays = (replace(each, extents=extents) if each.name == "A" else each for each in lab.arrays)
    return guards.advised(found, text, replace(lab, arrays=tuple(arrays)))


@pytest.mark.parametrize(
    "line",
    [
        EXCHANGED,
        "if (x < m && (y + j) < k) tile[j][t] = A[x + (y + j) * k];",
        "tile[j][t] = y + j < k && x < m ? A[(y + j) * k + x] : 0.0f;",
        "if (y + j < k && x < m)\n    tile[j][t] = A[(y + j) * k + x];",
    ],
)
def test_extents_that_are_exchanged(line: str) -> None:
    for found in (advised(line), advised(line, TILE, "init", "")):
        assert found.cause == guards.CAUSE
        assert found.help.endswith("A has m rows and k columns: y+j < m && x < k.")


@pytest.mark.parametrize(
    "line",
    [
        "if (y + j < m && x < k) tile[j][t] = A[(y + j) * k + x];",
        "if (y + j < m && x < n) tile[j][t] = A[(y + j) * k + x];",
        "if (y + j < k && x < m) tile[j][t] = A[i];",
        "if (y + j < k && x < m) tile[j][t] = A[(y + j) * n + x];",
        "tile[j][t] = A[(y + j) * k + x];",
    ],
)
def test_others_are_not(line: str) -> None:
    assert advised(line).help == "own"


def test_an_extent_may_be_any_expression() -> None:
    line = "if (y < 2 * k && x < m) tile[j][t] = A[y * (2 * k) + x];"
    for extents in (("m", "2 ** k"), ("m", "2 * (k + 1)")):
        assert advised(line, extents=extents).help == "own"


def test_another_array_and_a_better_cause_stay() -> None:
    assert advised(EXCHANGED, replace(TILE, allocation="shared array other"), "init", "").help == "own"
    assert advised(EXCHANGED, cause="block-indices-swapped").help == "own"


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("x = row < m || i < k ? A[row * k + i] : 0.0f;", 2),
        ("if (row < m || column < n) {\n  x += A[row * k + i];", 2),
        ("if (row < m && column < n) x = A[row * k + i];", 0),
        ("if (row >= m || column >= n) return;\nx = A[row * k + i];", 0),
        ("if (row < 0 || column < 0) return;\nx = A[row * k + i];", 0),
        ("x = A[row << 2 || 1 << i];", 0),
        ("x = row < 0 || i < 0 ? 0.0f : A[row * k + i];", 0),
    ],
)
def test_either_part_of_a_condition(line: str, number: int) -> None:
    found = advised(line)
    assert found.cause == "outside-the-array" and found.help.endswith("own")
    assert found.help.startswith(f"The condition in line {number} holds where only one") == (number > 0)


@pytest.mark.parametrize(
    ("text", "source", "is_blamed"),
    [
        ("if (i <= n) y[i] = x[i];", "y[i] = x[i]", True),
        ("int i = row * n + x;\nif (row <= m) y[i] = 0;", "y[i] = 0", True),
        ("if (i + length <= n) found[place] = i;", "found[place] = i", False),
        (
            "bool is_here = i + length <= n;\nfor (p = 0; p < length; ++p) a = text[i + p];",
            "a = text[i + p]",
            False,
        ),
        ("for (int d = -1; d <= 1; ++d)\n  sum += x[i + d];", "sum += x[i + d]", False),
        ("for (int d = -r; d <= r; d++) sum += x[i + d];", "x[i + d]", False),
        ("for (int d = 0; d <= r; d++) sum += x[i + d];", "x[i + d]", True),
        ("if (i <= n) *target = 0;", "*target = 0", True),
    ],
)
def test_conditions_of_something_else_are_not_blamed(text: str, source: str, is_blamed: bool) -> None:
    line = next(number for number, each in enumerate(text.split("\n"), 1) if source in each)
    assert ("<=" in guards.conditions(text, Place("kernel.cu", line, source=source))) == is_blamed


def test_where_one_index_is_bounded_the_other_one_goes_too_far() -> None:
    column = "tile[y][x] = top + y < m ? A[(top + y) * k + z + x] : 0.f;"
    assert "it is the column of A, z+x, that goes too far" in advised(column).help
    assert "happen only where z+x < k" in advised(column).help
    row = "int y = top + j;\nif (x < k) s += A[y * k + x];"
    assert "it is the row of A, y, that goes too far" in advised(row).help
    for line in ("if (x < k || y > 3) s += A[y * k + x];", "if (y < m && x < k) s += A[y * k + x];"):
        assert "goes too far" not in advised(line).help
    assert advised(column, TILE, "init", "").help == "own"


def test_a_part_of_an_index_that_is_compared_alone() -> None:
    inside = "if (y < m && x < k) tile[y][x] = A[(t * 16 + y) * k + p + x];"
    found = advised(inside)
    assert found.cause == guards.PART
    assert "compares y with m, and the row of A here is t*16+y: all of it has to be below m" in found.help
    named = "int r = blockIdx.y * 16 + y;\nif (y < m && c < k) tile[y][x] = A[r * k + c];"
    assert "the row of A here is r = blockIdx.y * 16 + y" in advised(named).help
    assert advised(inside.replace("y < m", "t * 16 + y < m").replace("x < k", "p + x < k")).help == "own"


def test_a_guard_that_returns_where_the_element_is() -> None:
    found = advised("if (y < m) return;\ns += A[y * k + x];")
    assert found.cause == guards.TURNED and "Line 2 returns where y is below m" in found.help
    for line in ("if (y >= m) return;\ns += A[y * k + x];", "if (j < m) return;\ns += A[y * k + x];"):
        assert advised(line).cause != guards.TURNED
