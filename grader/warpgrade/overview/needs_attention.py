"""Which students need attention, why, and what a teaching assistant may say to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..core import formatting
from ..feedback import disclosure
from ..judge import late_policy
from ..judge.finding_verdicts import question_about
from ..records import Finding, Grades, Lab, LabKind, Part, Result, Student, Verdict

LOW = 40.0  # percent; a student with a lower total needs attention


@dataclass(frozen=True)
class Reason:
    lab: str
    words: str
    grave: bool


@dataclass(frozen=True)
class StudentAtRisk:
    """One student with all reasons for attention, the gravest first."""

    id: str
    name: str
    reasons: tuple[Reason, ...]
    say: str  # a paragraph that a teaching assistant may begin with

    @property
    def grave(self) -> bool:
        return any(reason.grave for reason in self.reasons)


def at_risk(grades: Grades) -> tuple[StudentAtRisk, ...]:
    """Students with a grave reason first, then by the number of reasons, then in the class's order."""
    return by_urgency([student_at_risk(grades.labs, student) for student in grades.students])


def by_urgency(students: Sequence[StudentAtRisk]) -> tuple[StudentAtRisk, ...]:
    """The students with at least one reason, in the order of at_risk()."""
    found = [student for student in students if student.reasons]
    return tuple(sorted(found, key=lambda student: (not student.grave, -len(student.reasons))))


def student_at_risk(labs: Sequence[Lab], student: Student) -> StudentAtRisk:
    """The student with all reasons for attention, possibly none."""
    unread = [Reason("", str(each), True) for each in student.unread or ()]
    reasons = [Reason("", student.problem.message, True)] if student.problem else unread
    say: list[str] = []
    for lab in labs:
        result = next((each for each in student.results if each.lab == lab.name), None)
        if result is not None:
            if result.request and not result.answer:
                reasons.append(Reason(lab.name, f"asks: {result.request}", True))
            untimed = (part for part in _parts(result) if part.name == late_policy.UNTIMED)
            reasons += [Reason(lab.name, part.sentence, True) for part in untimed]
            reasons += [Reason(lab.name, words, grave) for words, grave in _reasons(lab, result)]
            say += _said(lab, result)
    reasons.sort(key=lambda reason: not reason.grave)
    return StudentAtRisk(student.id, student.name, tuple(reasons), " ".join(say))


def _parts(result: Result) -> tuple[Part, ...]:
    return result.score.parts if result.score else ()


# --- why ---------------------------------------------------------------------------------------


def _reasons(lab: Lab, result: Result) -> Iterator[tuple[str, bool]]:
    if result.status == "withheld":
        cause = f": {result.problem.message}" if result.problem else ""
        yield f"error of the grader, score withheld{cause}", True
    elif result.problem:
        yield f"refused: {result.problem.message}", True
    elif result.build_failed:
        summary = result.build.summary if result.build else ""
        yield summary if lab.kind is LabKind.ANSWERS and summary else "does not compile", True
    else:
        yield from _verdict_reasons(lab, result)


def _verdict_reasons(lab: Lab, result: Result) -> Iterator[tuple[str, bool]]:
    hidden = disclosure.hidden_cases(lab, result)
    shown = disclosure.shown_cases(lab, result)
    if hidden.passed < hidden.count and all(case.verdict is Verdict.PASS for case in shown):
        yield f"passes all it can see, but only {hidden.passed} of {hidden.count} hidden cases", True
    verdicts = {disclosure.verdict_of(result, case.name) for case in lab.cases}
    stopped = verdicts & {Verdict.TIMEOUT, Verdict.BARRIER}
    if stopped:
        words = " and ".join(sorted(formatting.SIGNS[verdict].words for verdict in stopped))
        yield f"does not end: {words}", True
    total = result.score.total if result.score else None
    if total is not None and result.score and 100 * total < LOW * result.score.possible and not stopped:
        late = "; ".join(part.sentence for part in _parts(result) if part.name == late_policy.LATE)
        words = f"only {formatting.points(total)} of {formatting.points(result.score.possible)} points"
        yield f"{words} ({late})" if late else words, False


# --- what to say -------------------------------------------------------------------------------


def _said(lab: Lab, result: Result) -> Iterator[str]:
    """At most two sentences about one lab: what was observed, and a question for the student."""
    if result.status == "withheld" or result.problem:
        return
    if result.build_failed and lab.kind is LabKind.ANSWERS:
        yield f"Your file of {lab.name} could not be marked. Look at its first message together."
        return
    if result.build_failed:
        diagnostics = result.build.diagnostics if result.build else ()
        errors = [item for item in diagnostics if item.severity == "error"]
        place = f" at line {errors[0].line}: {errors[0].text}" if errors and errors[0].line else ""
        yield f"{lab.name} does not compile{place}. Read the first message together; others follow from it."
        return
    findings = list(result.run.findings) if result.run else []
    if findings:
        yield _of_finding(lab, findings)
        return
    wrong = [case for case in (result.run.cases if result.run else ()) if case.wrong]
    visible = {case.name for case in lab.cases if case.visibility == "visible"}
    shown = next((case for case in wrong if case.name in visible), None)
    if shown and shown.wrong:
        seen = disclosure.redact(lab, shown.wrong.explanation)
        yield f"{lab.name}: {seen} Ask which thread computes that element, and from what."
    elif wrong:
        yield f"{lab.name} fails on sizes that are not shown ({lab.sizes}). Ask which were not tried."


def _of_finding(lab: Lab, findings: list[Finding]) -> str:
    first = next((item for item in findings if item.severity == "error"), findings[0])
    cases = len({item.label for item in findings if item.code == first.code})
    where = f"line {first.place.line}" if first.place.line else "an unknown line"
    what = f"{first.called} ({first.code}) at {where}, in {cases} of {len(lab.cases)} cases"
    return f"{lab.name}: {what}. {question_about(first)}"
