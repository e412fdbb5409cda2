"""A check as one JSON object, for editors and scripts. Holds only what a student may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.serialize import dumps, to_data
from ..feedback.disclosure import ShownCase, hidden_cases, redact, shown_cases, shown_findings
from ..records import Finding, Lab, Result

FORMAT = 1


def text(lab: Lab, result: Result, unoptimised: Sequence[Finding] | None = None) -> str:
    return dumps(data(lab, result, unoptimised))


def data(lab: Lab, result: Result, unoptimised: Sequence[Finding] | None = None) -> dict[str, Any]:
    """`points` is null if the score is withheld because of an error of the grader. `unoptimised`: what only a
    build without optimisation shows; None where nobody asked.
    """
    score, build = result.score, result.build
    hidden = hidden_cases(lab, result)
    return {
        "format": FORMAT,
        "lab": lab.name,
        "status": result.status,
        "points": score.total if score else None,
        "possible": score.possible if score else 100.0,
        "problem": to_data(result.problem),
        "build": None if build is None else {
            "status": build.status.value,
            "summary": build.summary,
            "diagnostics": to_data(build.diagnostics),
            "resources": to_data(build.resources),
        },
        "cases": [_case(case) for case in shown_cases(lab, result)],
        "hidden": to_data(hidden),
        "parts": [
            {"kind": part.kind, "name": part.name, "earned": part.earned, "possible": part.possible,
             "sentence": redact(lab, part.sentence)}
            for part in (score.parts if score else ())
            if part.kind in ("build", "technique", "fault", "performance")
        ],
        "findings": [to_data(finding) for finding in shown_findings(lab, result)],
        "unoptimised": to_data(unoptimised),
        "printed": result.run.printed if result.run else "",
    }  # fmt: skip


def _case(case: ShownCase) -> dict[str, Any]:
    known = case.case
    return {
        "name": case.name,
        "verdict": case.verdict.value,
        "earned": case.earned,
        "possible": case.possible,
        "sentence": case.sentence,
        "size": list(known.size) if known else None,
        "wrong": to_data(case.run.wrong) if case.run else None,
    }
