"""The listing of a student's source, whatever was handed in."""

from __future__ import annotations

from warpgrade.feedback import annotated_source
from warpgrade.feedback.annotated_source import CONTEXT, MOST_LINES
from warpgrade.records import Build, BuildStatus, Diagnostic, Result, SourceFile, StageRecords, Submission


def result(text: str, *marked: int) -> Result:
    submission = Submission("s", "01-basic", "s", (SourceFile("kernel.cu", text),), "")
    messages = tuple(Diagnostic("error", "no", "kernel.cu", line, "") for line in marked)
    return Result(
        "01-basic", "graded", StageRecords(submission, Build(BuildStatus.BUILD_FAILED, "no", messages))
    )


def test_every_line_of_a_kernel() -> None:
    found = annotated_source.marked_source(result("a\n\nc\n", 2), (), None)
    assert [(line.number, line.text, line.marked) for line in found] == [
        (1, "a", False), (2, "", True), (3, "c", False)
    ]  # fmt: skip


def test_of_a_million_lines_the_beginning_and_what_is_marked() -> None:
    at = 700_000
    found = annotated_source.marked_source(result("\n" * 1_000_000 + "x", at, 2_000_000), (), None)
    around = list(range(at - CONTEXT, at + CONTEXT + 1))
    assert [line.number for line in found] == [*range(1, MOST_LINES + 1), *around]
    assert [line.number for line in found if line.marked] == [at]
