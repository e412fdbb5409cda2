"""One result in the formats of other programs: a line for Autolab, XML for JUnit.

Nothing here holds a time of day: the same result gives the same bytes. The time in JUnit is the kernel's own,
over all timed sizes: measured on a GPU, else modelled.
"""

from __future__ import annotations

import json
import re
from xml.sax.saxutils import escape, quoteattr

from ..records import Lab, Result
from .checks import Check, checks

_TOOL = "warpgrade"
# Characters that XML 1.0 cannot contain, not even as a reference.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


# --- Autolab -----------------------------------------------------------------------------------


def autolab(lab: Lab, result: Result) -> str:
    """The last line of an autograder's output: points by problem, and the scoreboard's columns."""
    scores: dict[str, float] = {}
    for test in checks(lab, result):
        name = {"case": "correctness"}.get(test.kind, test.kind)
        scores[name] = round(scores.get(name, 0.0) + test.earned, 2)
    total = result.score.total if result.score else None
    ratio = result.judgement.performance.ratio if result.judgement and result.judgement.performance else None
    return json.dumps({"scores": scores, "scoreboard": [total, round(ratio, 2) if ratio else 0]})


# --- JUnit -------------------------------------------------------------------------------------


def junit(lab: Lab, result: Result, student: str = "") -> str:
    """One test suite. An error of the grader is an <error>, a failed check is a <failure>."""
    found = checks(lab, result)
    suite = f"{student}.{lab.name}" if student else lab.name
    withheld = result.score is None or result.score.total is None
    failed = sum(test.passed is False for test in found)
    skipped = sum(test.passed is None for test in found)
    counts = (
        f'tests="{len(found) + withheld}" failures="{failed}" errors="{int(withheld)}" skipped="{skipped}"'
    )
    seconds = _seconds(result)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites {counts} time="{seconds}">']
    lines.append(f'  <testsuite name={_attribute(suite)} {counts} time="{seconds}">')
    lines += [_junit_case(suite, test, seconds if test.kind == "performance" else "0") for test in found]
    if withheld:
        words = result.problem.message if result.problem else "the grader failed"
        lines.append(f'    <testcase classname={_attribute(suite)} name="grader" time="0">'
                     f'<error message={_attribute(words)} type="GRADER_ERROR"/></testcase>')  # fmt: skip
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _seconds(result: Result) -> str:
    """The kernel's time, "0" where it was not timed."""
    performance = result.judgement.performance if result.judgement else None
    total = sum(size.student_ms for size in performance.sizes) / 1000 if performance else 0.0
    return f"{total:.9f}".rstrip("0").rstrip(".") if total else "0"


def _junit_case(suite: str, test: Check, seconds: str) -> str:
    start = (
        f"    <testcase classname={_attribute(f'{suite}.{test.kind}')} name={_attribute(test.name)}"
        f' time="{seconds}"'
    )
    if test.passed:
        return start + "/>"
    if test.passed is None:
        return start + "><skipped/></testcase>"
    body = escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", test.output))
    failure = f"<failure message={_attribute(test.message)} type={_attribute(test.verdict)}>{body}</failure>"
    return f"{start}>{failure}</testcase>"


def _attribute(value: str) -> str:
    return quoteattr(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", value))
