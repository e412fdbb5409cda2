"""The loop of a kernel that never ends is the one that changes nothing of its condition."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes import endless_loop
from warpgrade.records import Finding, Place


def helped(text: str, line: int) -> str:
    place = Place("kernel.cu", line)
    finding = Finding("case", "limit", "step-limit", "WG141", "error", "too many", place, help="any")
    return endless_loop.advised(finding, text).help


OUTER = """for (int i = 0; i < rows; )
  for (int j = 0; j < columns; ++j) {
    sum += a[i * columns + j];
  }
"""


def test_the_loop_without_a_step_is_named_and_not_the_one_inside() -> None:
    assert helped(OUTER, 2).startswith("Nothing in the loop of line 1") and "i < rows" in helped(OUTER, 2)


@pytest.mark.parametrize(
    "text",
    [
        OUTER.replace("rows; )", "rows; ++i)"),
        OUTER.replace("rows; )", "rows; i += 2)"),
        OUTER.replace("sum +=", "i += j; sum +="),
        OUTER.replace("sum +=", "step(i, j); sum +="),
        OUTER.replace("i < rows", "flag[i] < rows"),
    ],
)
def test_a_loop_that_may_move_on_is_not_blamed(text: str) -> None:
    assert helped(text, 2) == "any"


def test_a_while_loop() -> None:
    assert "loop of line 1" in helped("while (stride > 0) {\n  sum += x;\n}\n", 2)
    assert helped("while (stride > 0) {\n  stride /= 2;\n}\n", 2) == "any"
    assert helped("while (stride > 0) {\n  stride /= 2;\n}\nsum = 1;\n", 4) == "any"


def test_many_loops_take_little_time() -> None:
    assert helped("for (int i = 0; i < n; ) {" * 20000, 1)
