"""What a finding means for its case: one row for each check of the emulator, and the kinds that differ.

A kind's check stands in its row of grader/emulator/machine/finding_kinds.def.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..records import Finding, Verdict


@dataclass(frozen=True)
class CheckMeaning:
    verdict: Verdict  # on a case with such a finding
    question: str = "Ask what the line does, thread by thread."  # for a teaching assistant


CHECKS = {
    "memory": CheckMeaning(Verdict.MEMORY, "Ask for which sizes the index is larger than the matrix."),
    "init": CheckMeaning(Verdict.MEMORY, "Ask who writes that element, and when."),
    "race": CheckMeaning(Verdict.RACE, "Ask what makes one of the two threads wait for the other."),
    "barrier": CheckMeaning(Verdict.BARRIER, "Ask which threads do not come to this barrier."),
    "order": CheckMeaning(Verdict.RACE, "Ask what makes one stream, or the host, wait for the other."),
    "limit": CheckMeaning(Verdict.TIMEOUT, "Ask what changes in each turn of the loop."),
    "host": CheckMeaning(Verdict.WRONG_ANSWER, "Ask what the host waits for before it uses a result."),
    "trap": CheckMeaning(Verdict.CRASH),
    "unsupported": CheckMeaning(Verdict.GRADER_ERROR),
}
_UNKNOWN = CheckMeaning(Verdict.GRADER_ERROR)  # without a check: a time below the roofline

# Kinds whose verdict is not that of their check.
VERDICT_OF_KIND = {"launch-resources": Verdict.RESOURCES}
# A wrong index gives wrong numbers and may also cause one of these: two threads write one element of C, or an
# access misses its shared array, or two streams work on one part of an array. The launch continued, and the
# wrong numbers explain the fault better.
BEHIND_WRONG_NUMBERS = {
    "global-race", "global-race-same-value", "out-of-bounds-read", "out-of-bounds-write", "stream-race",
}  # fmt: skip
SAME_VALUE = {"race-same-value", "global-race-same-value"}  # the numbers are right, by luck
HOST = "host"  # decides no verdict: wrong numbers explain such a fault better, and techniques take the points
OF_HARNESS = {"memory-leak", "resource-leak"}  # the harness allocates, not the kernel


def verdict_of(finding: Finding) -> Verdict:
    """The verdict on a case with this finding. A race counts as one where the two threads only happened to
    write the same value. A remark leaves the verdict as it is.
    """
    if finding.is_remark:
        return Verdict.PASS
    return VERDICT_OF_KIND.get(finding.kind) or CHECKS.get(finding.check, _UNKNOWN).verdict


def in_lab(finding: Finding) -> Finding:
    """A finding that fails its case is an error there, also where the emulator warns of it."""
    return replace(finding, severity="error") if finding.kind in SAME_VALUE else finding


def question_about(finding: Finding) -> str:
    """What a teaching assistant may ask the student."""
    return CHECKS.get(finding.check, _UNKNOWN).question


def causes(findings: Sequence[Finding], wrong: bool = False) -> list[Finding]:
    """The findings that explain the case, without those of which another one is the cause: a race also causes
    reads of memory that no thread has written yet. `wrong`: whether the case has wrong numbers.
    """
    racing = any(finding.check == "race" for finding in findings)
    return [
        finding
        for finding in findings
        if not (racing and finding.check == "init")
        and finding.kind not in OF_HARNESS
        and finding.check != HOST
        and not (wrong and finding.kind in BEHIND_WRONG_NUMBERS)
    ]
