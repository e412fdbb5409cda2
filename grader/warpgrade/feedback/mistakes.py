"""The mistakes that a result shows, the best explanation first, and their names.

Hints, statistics and tests use these names, never the words of a message. A finding's name is its cause, or
its kind if that says all. A wrong answer has the name of its cause, if one is known, and then the name of
its pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..judge.causes.unwritten import rest_unwritten
from ..judge.causes.wrong_answer import idle_kernel, influence, wrong_answer
from ..judge.finding_verdicts import BEHIND_WRONG_NUMBERS, SAME_VALUE
from ..records import Finding, Lab, LaunchShape, Result, Verdict, Wrong
from ..run.programs.program import NOT_NOTICED
from . import disclosure
from .disclosure import ShownCase

# Patterns that say where or how many, and not why (grader/harness/patterns/pattern.hpp).
_VAGUE = (
    "all", "nearly-all", "scattered", "zeros", "unchanged", "never-written", "blocks-never-written",
    "too-small", "too-large", "slices", "last-tile-column", "last-tile-row", "last-tile-row-or-column",
    "last-block", "from-index", "every-nth", "tile-rows", "tile-columns", "tiles", "blocks", "edge",
    "same-in-each-block", "same-difference", "one-value",
    idle_kernel.PATTERN, "",
)  # fmt: skip

# Causes that say what happens, and not in which expression it begins.
_OPEN = ("outside-the-array", "lost-update", "place-twice")

# A loop that has read memory once sees nothing that others write, whatever else is found.
_CAUSES_OF_ALL = ("idle-loop",)
# Causes of findings that wrong numbers explain better, if they name a mistake.
_CONSEQUENCES = ("partly-filled", "read-before-written", *rest_unwritten.CAUSES)
# Causes of findings that explain wrong numbers better than any pattern of these.
_CAUSES_OF_NUMBERS = ("lost-update",)


@dataclass(frozen=True)
class Mistake:
    """One thing to show: a finding, or the wrong answer of a case."""

    finding: Finding | None = None
    case: ShownCase | None = None

    @property
    def wrong(self) -> Wrong | None:
        return self.case.run.wrong if self.case and self.case.run else None


def in_order(lab: Lab, result: Result) -> tuple[Mistake, ...]:
    """Findings and wrong answers, the best explanation first.

    Barriers that some threads skip cause all else. What names a mistake comes before what only describes its
    consequences, then the case decides, as cases go from simple to complex. Warnings come last, but for a
    variable without a value, which explains wrong numbers; kernels that are still empty explain nothing
    beside them. Of a case with a wrong access, the numbers are shown only if they name the mistake; then they
    explain a read of what nobody wrote, too. Which part of an array has been filled says less than any other
    cause. A call that was made to fail, and whose failure a program did not notice, explains no wrong result.
    """
    findings, cases = disclosure.shown_findings(lab, result), disclosure.shown_cases(lab, result)
    wrong = [case for case in cases if _is_shown(case, result)]
    places = {case.name: number for number, case in enumerate(lab.cases)}
    has_name = not all(_is_vague(case, result) for case in wrong)
    caused = {finding.code for finding in findings if finding.cause}
    is_named_elsewhere = any(
        each.check in ("init", "memory") and each.cause not in (None, "", *rest_unwritten.CAUSES)
        for each in findings
    )

    missed = {_shared_array(finding) for finding in findings if finding.check == "memory"} - {""}

    def of_finding(finding: Finding) -> tuple[bool, bool, bool, int, bool]:
        at = places.get(finding.label, len(places))
        is_cause = finding.cause in _CAUSES_OF_NUMBERS
        is_consequence = finding.kind in BEHIND_WRONG_NUMBERS or (
            finding.check == "init"
            and (not finding.cause or finding.cause in _CONSEQUENCES or _is_of_results(finding))
        )
        says_where = is_named_elsewhere and finding.cause in rest_unwritten.CAUSES
        lands = finding.check == "race" and _shared_array(finding) in missed
        behind = (is_consequence and has_name and not is_cause) or says_where or lands
        uncaused = finding.code in caused and not finding.cause
        late = _explains_nothing(finding) or finding.cause == NOT_NOTICED
        comes_first = finding.check == "barrier" or finding.cause in _CAUSES_OF_ALL
        return (not comes_first, late, behind or uncaused, at, False)

    def of_case(case: ShownCase) -> tuple[bool, bool, bool, int, bool]:
        is_idle = case.run is not None and idle_kernel.is_idle(case.run)
        return (True, is_idle, _is_vague(case, result), places[case.name], True)

    keyed = [(of_finding(finding), Mistake(finding=finding)) for finding in findings]
    keyed += [(of_case(case), Mistake(case=case)) for case in wrong]
    return tuple(mistake for _, mistake in sorted(keyed, key=lambda each: each[0]))


def _explains_nothing(finding: Finding) -> bool:
    """Whether all may go well in spite of it."""
    is_minor = finding.severity != "error" or finding.kind in SAME_VALUE
    return is_minor and not finding.is_remark and not finding.cause


def _shared_array(finding: Finding) -> str:
    """The shared array of a finding; "" for other memory."""
    memory = finding.memory
    return memory.allocation if memory and memory.space == "shared" else ""


def _is_of_results(finding: Finding) -> bool:
    """Whether a kernel adds to an element of its results, which hold nothing before the launch."""
    return finding.cause == "not-cleared" and finding.memory is not None and finding.memory.space == "global"


def _is_shown(case: ShownCase, result: Result) -> bool:
    if case.run is None or case.run.wrong is None:
        return False
    is_named = case.verdict is Verdict.MEMORY and not _is_vague(case, result)
    return case.verdict is Verdict.WRONG_ANSWER or is_named


def _is_vague(case: ShownCase, result: Result) -> bool:
    wrong = case.run.wrong if case.run else None
    return wrong is None or (wrong.pattern in _VAGUE and not _named_doubts(wrong, result))


def is_named(lab: Lab, result: Result) -> bool:
    """Whether the first mistake has a cause, and not only a description of what it does."""
    first = next(iter(in_order(lab, result)), None)
    if first is None:
        return False
    return (
        bool(first.finding.cause)
        if first.finding
        else first.case is None or not _is_vague(first.case, result)
    )


def has_remedy(lab: Lab, result: Result) -> bool:
    """Whether the first mistake has a cause that says what to change. Which elements are wrong, and which
    index leaves its array, is a name; where it is computed wrongly remains open.
    """
    first = next(iter(in_order(lab, result)), None)
    if first is None:
        return False
    if first.finding is not None:
        return bool(first.finding.cause) and first.finding.cause not in _OPEN
    return first.wrong is None or bool(_named_doubts(first.wrong, result))


def is_untouched(case: ShownCase) -> bool:
    """Whether no result was written. The pattern alone describes the wrong elements only."""
    wrong = case.run.wrong if case.run else None
    patterns = ("never-written", idle_kernel.PATTERN)
    return wrong is not None and wrong.pattern in patterns and wrong.count == wrong.total


def causes(lab: Lab, result: Result) -> tuple[str, ...]:
    """The names of the mistakes, each once, in the order in which `check` shows them; that of speed last."""
    found = (name for mistake in in_order(lab, result) for name in _names(mistake, result))
    return tuple(dict.fromkeys((*found, *_of_speed(result))))


def _names(mistake: Mistake, result: Result) -> Iterator[str]:
    if mistake.finding is not None:
        yield mistake.finding.cause or mistake.finding.kind
    if mistake.wrong is not None:
        yield from (doubt.cause for doubt in doubts(mistake.wrong, result))
        yield mistake.wrong.pattern


def doubts(wrong: Wrong, result: Result) -> Sequence[wrong_answer.Doubt]:
    """Causes that explain the wrong elements; without one, what these depend on."""
    return _named_doubts(wrong, result) or tuple(influence.doubts(wrong, _shape(wrong, result)))


def _named_doubts(wrong: Wrong, result: Result) -> Sequence[wrong_answer.Doubt]:
    if wrong.pattern == idle_kernel.PATTERN:
        return ()
    return tuple(wrong_answer.doubts(wrong, _shape(wrong, result), result.submission))


def _shape(wrong: Wrong, result: Result) -> LaunchShape | None:
    return wrong_answer.covering(wrong, result.run.shapes if result.run else ())


def _of_speed(result: Result) -> Iterator[str]:
    verdict = result.judgement.performance if result.judgement else None
    if verdict is not None and verdict.remedy:
        yield verdict.remedy
