"""Classroom 50's result.json: the fields of its contract, whole points, no zero for our own faults."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from support import sample_results
from warpgrade.core.errors import GraderError, UsageError
from warpgrade.export.classrooms import classroom50
from warpgrade.records import Lab, Result

LAB = sample_results.lab()
TEXT = {"type": "string", "minLength": 1}
POINTS = {"type": "integer", "minimum": 0}
# The contract as its documentation states it; further keys of a test are allowed.
CONTRACT: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "schema": {"const": "classroom50/result/v1"},
        **dict.fromkeys(
            ("classroom", "assignment", "owner", "submission", "commit", "release", "review"), TEXT
        ),
        "datetime": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "score": POINTS,
        "max-score": POINTS,
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["test-name", "passed", "score", "max-score"],
                "properties": {
                    "test-name": TEXT,
                    "passed": {"type": "boolean"},
                    "score": POINTS,
                    "max-score": POINTS,
                },
            },
        },
    },
}
CONTRACT["required"] = list(CONTRACT["properties"])
RUNNER = {
    "CLASSROOM": "gpu-2026",
    "ASSIGNMENT": "02-tiled",
    "OWNER": "alice",
    "SUBMISSION_TAG": "submit/2026-11-24T10-00-00Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/commit/a1b2c3d",
    "RELEASE_URL": "https://example.org/releases/1",
    "SUBMITTED_AT": "2026-11-24T10:00:00Z",
}
GRADED = [
    sample_results.right_student().results[0],
    sample_results.racy_student().results[0],
    sample_results.hidden_failure_student().results[0],
    sample_results.failed_build_student().results[0],
]


def data(of: Lab, result: Result, **changes: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(classroom50.text(of, result, RUNNER | changes))
    return found


@pytest.mark.parametrize("result", GRADED)
def test_the_contract_is_kept(result: Result) -> None:
    found = data(LAB, result)
    jsonschema.validate(found, CONTRACT)
    assert found["score"] == sum(test["score"] for test in found["tests"])
    assert found["max-score"] == sum(test["max-score"] for test in found["tests"])
    assert all(test["score"] <= test["max-score"] for test in found["tests"])
    assert result.score and result.score.total is not None
    assert abs(found["score"] - result.score.total) <= 0.5, "rounded once, not once for each test"
    assert sample_results.SECRET not in json.dumps(found)


def test_the_exact_points_are_kept() -> None:
    speed = data(LAB, sample_results.racy_student().results[0])["tests"][-1]
    assert speed["points"] == 7.25 and speed["score"] == 7 and not speed["passed"]


def test_a_fault_of_the_grader_gives_no_result() -> None:
    with pytest.raises(GraderError):
        data(LAB, sample_results.withheld_student().results[0])


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(UsageError, match="CLASSROOM"):
        data(LAB, GRADED[0], CLASSROOM="")
