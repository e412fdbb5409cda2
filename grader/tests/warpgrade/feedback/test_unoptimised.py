"""Findings of a build without optimisation stand apart from those of the build that is graded."""

from __future__ import annotations

from warpgrade.feedback.unoptimised import only_in
from warpgrade.records import Finding, Place


def at(line: int, other: int | None = None, check: str = "race") -> Finding:
    second = Place("kernel.cu", other) if other else None
    return Finding(
        "c", check, "race-read-write", "WG112", "error", "m", Place("kernel.cu", line), other=second
    )


def test_a_line_that_both_builds_show_stands_once() -> None:
    assert only_in([at(4), at(9)], [at(4, other=7)]) == (at(9),)
    assert only_in([at(7, other=4)], [at(4, other=7)]) == ()


def test_another_check_at_the_same_line_is_another_finding() -> None:
    assert only_in([at(4, check="init")], [at(4)]) == (at(4, check="init"),)
