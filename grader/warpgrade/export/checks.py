"""A result as a list of checks, for formats of other programs. Contains only what a student may see.

Hidden cases are one check together: Gradescope hides the total if any check is hidden, and a line "1 of
3 pass" reveals no more than the student's page does.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text

from ..core import formatting
from ..core.errors import GraderError
from ..core.paths import typed
from ..feedback.disclosure import hidden_cases, redact, shown_cases, shown_findings
from ..records import BuildStatus, Lab, LabKind, Result, Verdict
from ..report import terminal_findings

_WIDTH = 90


@dataclass(frozen=True)
class Check:
    """`kind` is build, case, technique, fault or performance. `passed` None: not run."""

    kind: str
    name: str
    earned: float
    possible: float
    passed: bool | None
    verdict: str
    message: str = ""
    output: str = ""  # several lines: findings with their source


def checks(lab: Lab, result: Result) -> list[Check]:
    """The checks of a result, in the order in which points are given."""
    built = _build(lab, result)
    found = [built] if lab.build_points or not built.passed else []
    for case in shown_cases(lab, result):
        passed = None if case.verdict is Verdict.SKIPPED else case.verdict is Verdict.PASS
        words = "" if passed else case.sentence or formatting.SIGNS[case.verdict].words
        output = "" if passed else _findings(lab, result, case.name)
        found.append(
            Check("case", case.name, case.earned, case.possible, passed, case.verdict, words, output)
        )
    hidden = hidden_cases(lab, result)
    if hidden.count:
        ran = any(test.passed is not None for test in found if test.kind == "case")
        whole = hidden.passed == hidden.count if ran else None
        words = f"{hidden.passed} of {hidden.count} pass"
        verdict = "PASS" if whole else "FAIL" if ran else "SKIPPED"
        found.append(Check("case", "hidden cases", hidden.earned, hidden.possible, whole, verdict, words))
    for part in result.score.parts if result.score else ():
        if part.kind in ("technique", "fault", "performance"):
            full = part.earned >= part.possible
            verdict = "PASS" if full else "PARTIAL" if part.earned > 0 else "FAIL"
            sentence = redact(lab, part.sentence)
            found.append(Check(part.kind, part.name, part.earned, part.possible, full, verdict, sentence))
    return found


def given_checks(lab: Lab, result: Result) -> list[Check]:
    """The checks of a result. GraderError where the score is withheld: nobody gets a zero then."""
    if result.score is None or result.score.total is None:
        words = result.problem.message if result.problem else "the grader failed"
        raise GraderError(f"no points for {lab.name}: {words}", remedy=typed("doctor"))
    return checks(lab, result)


def title(check: Check) -> str:
    """The check's name, with its kind where the name alone says too little."""
    return check.name if check.kind in ("case", "build", "performance") else f"{check.kind}: {check.name}"


def text(lines: list[str]) -> str:
    """rich's markup as plain text."""
    return "\n".join(Text.from_markup(line).plain.rstrip() for line in lines)


def _build(lab: Lab, result: Result) -> Check:
    build = result.build
    built = build is not None and build.status == BuildStatus.BUILT
    words = build.summary if build else (result.problem.message if result.problem else "not built")
    output = "" if built else text(list(terminal_findings.diagnostic_lines(result, _WIDTH))).strip("\n")
    earned = lab.build_points if built else 0.0
    name = "is read" if lab.kind is LabKind.ANSWERS else "compiles"
    return Check("build", name, earned, lab.build_points, built, "PASS" if built else "BUILD_FAILED",
                words, output)  # fmt: skip


def _findings(lab: Lab, result: Result, case: str) -> str:
    parts: dict[tuple[str, int], str] = {}
    for finding in shown_findings(lab, result):
        key = (finding.code, finding.place.line)
        if finding.label == case and key not in parts and len(parts) < 3:
            parts[key] = text(list(terminal_findings.finding_lines([finding], _WIDTH)))
    return "\n\n".join(parts.values())
