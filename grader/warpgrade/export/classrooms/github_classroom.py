"""GitHub Classroom: what its grading reporter reads from the result of a runner, in base64."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from ...core.paths import program
from ...records import Lab, Result
from ..checks import Check, given_checks, title


def text(lab: Lab, result: Result, environment: Mapping[str, str]) -> str:
    """One line. GraderError where the score is withheld."""
    return base64.b64encode(json.dumps(data(lab, result), ensure_ascii=False).encode()).decode() + "\n"


def data(lab: Lab, result: Result) -> dict[str, Any]:
    found = given_checks(lab, result)
    return {
        "version": 1,
        "status": "pass" if all(check.passed for check in found) else "fail",
        "max_score": round(sum(check.possible for check in found), 2),
        "tests": [_test(lab, check) for check in found],
    }


def _test(lab: Lab, check: Check) -> dict[str, Any]:
    return {
        "name": title(check),
        "status": "pass" if check.passed else "fail",
        "score": round(check.earned, 2),
        "max_score": check.possible,
        "message": check.output or check.message,
        "test_code": f"{program()} check {lab.name}",
        "filename": lab.files[0],
        "line_no": 0,
        "execution_time": "",
    }
