"""Classroom 50: the result.json that its runner reads (classroom50/result/v1).

Its points are whole numbers, and the score is their sum. Each check's exact points are in `points`, which
the service keeps as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...core.errors import UsageError
from ...records import Lab, Result
from ..checks import Check, given_checks, title

SCHEMA = "classroom50/result/v1"
DATETIME = "SUBMITTED_AT"  # ours: the commit's time in UTC, which autograder.py asks git for
_VARIABLES = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "datetime": DATETIME,
}


def text(lab: Lab, result: Result, environment: Mapping[str, str]) -> str:
    """The result for Classroom 50. GraderError if the score is withheld, UsageError without the runner's
    variables.
    """
    missing = [name for name in _VARIABLES.values() if not environment.get(name)]
    if missing:
        raise UsageError(f"{', '.join(missing)} must be set, as Classroom 50's runner does")
    found = given_checks(lab, result)
    most = _whole([check.possible for check in found])
    earned = [min(pair) for pair in zip(_whole([check.earned for check in found]), most, strict=True)]
    data: dict[str, Any] = {"schema": SCHEMA}
    data |= {field: environment[name] for field, name in _VARIABLES.items()}
    data["owner"] = environment.get("OWNER") or environment.get("USERNAME", "")
    data["review"] = environment.get("REVIEW_URL") or data["commit"]
    data |= {"score": sum(earned), "max-score": sum(most)}
    data["tests"] = [_test(*row) for row in zip(found, earned, most, strict=True)]
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _test(check: Check, earned: int, most: int) -> dict[str, Any]:
    return {
        "test-name": title(check),
        "passed": check.passed is True,
        "score": earned,
        "max-score": most,
        "points": check.earned,
        "output": check.output or check.message,
    }


def _whole(points: Sequence[float]) -> list[int]:
    """Whole numbers that add up to the rounded sum: what rounding one takes away, the next ones get."""
    rounded, given, total = [], 0, 0.0
    for each in points:
        total += each
        rounded.append(int(total + 0.5) - given)
        given += rounded[-1]
    return rounded
