"""GitHub Classroom's runner result: decoded as its reporter does, with points that add up."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from support import sample_results
from warpgrade.core.errors import GraderError
from warpgrade.export.classrooms import github_classroom
from warpgrade.records import Result

LAB = sample_results.lab()


def decoded(result: Result) -> dict[str, Any]:
    text = github_classroom.text(LAB, result, {})
    assert text.count("\n") == 1, "one line, which a step's output can hold"
    found: dict[str, Any] = json.loads(base64.b64decode(text))
    return found


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (sample_results.right_student().results[0], "pass"),
        (sample_results.racy_student().results[0], "fail"),
        (sample_results.failed_build_student().results[0], "fail"),
    ],
)
def test_points_and_status(result: Result, status: str) -> None:
    found = decoded(result)
    assert found["status"] == status and found["version"] == 1 and result.score
    assert sum(test["score"] for test in found["tests"]) == pytest.approx(result.score.total)
    assert sum(test["max_score"] for test in found["tests"]) == pytest.approx(found["max_score"])
    assert {test["status"] for test in found["tests"]} <= {"pass", "fail"}
    assert sample_results.SECRET not in json.dumps(found)


def test_a_fault_of_the_grader_gives_no_result() -> None:
    with pytest.raises(GraderError):
        decoded(sample_results.withheld_student().results[0])
