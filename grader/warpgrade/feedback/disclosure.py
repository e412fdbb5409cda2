"""What a student may see of a result.

A student sees everything of a visible case, name and verdict of a name-only case, and only the number and
the points of hidden cases. Students' pages are made from these views alone, so that no template can reveal
the rest.
"""

from dataclasses import dataclass, replace

from ..course import draws
from ..judge.causes.wrong_answer import idle_kernel
from ..records import Case, CaseRun, Finding, Lab, Part, Result, Verdict, Visibility

TIMED = "time/"


@dataclass(frozen=True)
class ShownCase:
    """A visible or name-only case; the latter has neither size, sentence nor run."""

    name: str
    verdict: Verdict
    earned: float
    possible: float
    sentence: str = ""
    case: Case | None = None
    run: CaseRun | None = None


@dataclass(frozen=True)
class HiddenCases:
    """All hidden cases together."""

    count: int
    passed: int
    earned: float
    possible: float


def shown_cases(lab: Lab, result: Result) -> tuple[ShownCase, ...]:
    """The cases that may be named, in the lab's order."""
    return tuple(_shown(case, result) for case in lab.cases if case.visibility is not Visibility.HIDDEN)


def hidden_cases(lab: Lab, result: Result) -> HiddenCases:
    hidden = [case for case in lab.cases if case.visibility is Visibility.HIDDEN]
    return HiddenCases(
        count=len(hidden),
        passed=sum(verdict_of(result, case.name) is Verdict.PASS for case in hidden),
        earned=sum(earned_by(result, "case", case.name) for case in hidden),
        possible=sum(case.points for case in hidden),
    )


def shown_findings(lab: Lab, result: Result) -> tuple[Finding, ...]:
    """Findings of visible cases and of the student's timed launches; causes come before their consequences.

    A barrier that some threads skip causes races after it; a warning explains least.
    """
    if result.run is None:
        return ()
    found = (_shown_finding(lab, each) for each in result.run.findings if _may_show(lab, each.label))
    return tuple(sorted(found, key=lambda finding: (finding.severity != "error", finding.check != "barrier")))


def redact(lab: Lab, text: str) -> str:
    """`text` without the name of any hidden case."""
    hidden = [case.name for case in lab.cases if case.visibility is Visibility.HIDDEN]
    for name in sorted(hidden, key=len, reverse=True):
        text = text.replace(name, "a hidden case")
    return text


def verdict_of(result: Result, case: str) -> Verdict:
    """The verdict of a case; SKIPPED where none was reached."""
    verdicts = result.judgement.cases if result.judgement else ()
    return next((item.verdict for item in verdicts if item.name == case), Verdict.SKIPPED)


def earned_by(result: Result, kind: str, name: str) -> float:
    return sum(part.earned for part in parts_of(result, kind) if part.name == name)


def parts_of(result: Result, kind: str) -> tuple[Part, ...]:
    parts = result.score.parts if result.score else ()
    return tuple(part for part in parts if part.kind == kind)


def _shown(case: Case, result: Result) -> ShownCase:
    verdict = verdict_of(result, case.name)
    earned = earned_by(result, "case", case.name)
    if case.visibility is Visibility.NAME:
        return ShownCase(case.name, verdict, earned, case.points)
    sentences = (
        [item.sentence for item in result.judgement.cases if item.name == case.name]
        if result.judgement
        else []
    )
    runs = [run for run in result.run.cases if run.name == case.name] if result.run else []
    run = idle_kernel.explained(runs[0], result.run) if result.run and runs else None
    sentence = sentences[0] if sentences else ""
    if run and idle_kernel.is_idle(run):
        sentence = run.message
    return ShownCase(case.name, verdict, earned, case.points, sentence, case, run)


def _shown_finding(lab: Lab, finding: Finding) -> Finding:
    """The finding. Its words would tell a drawn size: which element an array has last, how long a row is."""
    if not finding.label.startswith(TIMED) or not draws.are_secret(lab):
        return finding
    return replace(finding, message=finding.called, memory=None, help="")


def _may_show(lab: Lab, label: str) -> bool:
    if label.startswith(TIMED):
        return label.endswith("/student")
    return any(case.name == label and case.visibility is Visibility.VISIBLE for case in lab.cases)
