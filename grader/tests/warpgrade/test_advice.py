"""What to type next."""

from dataclasses import replace

import pytest
import report_sample

from warpgrade import advice
from warpgrade.records import Result, Run, Verdict

LAB = report_sample.lab()
ADA, BOB, CAROL, DAN, EVE = (
    student.results[0]
    for student in (
        report_sample.right_student(), report_sample.racy_student(), report_sample.failed_build_student(),
        report_sample.withheld_student(), report_sample.hidden_failure_student(),
    )
)  # fmt: skip


def run_of(result: Result) -> Run:
    assert result.run
    return result.run


WRONG = replace(BOB, run=replace(run_of(BOB), findings=()))


@pytest.mark.parametrize(
    ("result", "command"),
    [
        (ADA, "check next"),
        (BOB, "explain WG201"),
        (CAROL, "check 02-tiled"),
        (DAN, "doctor"),
        (EVE, "hint 02-tiled"),
        (WRONG, "hint 02-tiled"),
    ],
    ids=["right", "racy", "not built", "withheld", "hidden", "wrong"],
)
def test_one_command(result: Result, command: str) -> None:
    assert advice.after(LAB, result, next_lab="next").command == command


def test_the_last_lab_is_handed_in() -> None:
    assert advice.after(LAB, ADA).command == "pack"


def test_what_is_slow_is_profiled() -> None:
    assert ADA.score
    slow = tuple(replace(p, earned=1.0) if p.kind == "performance" else p for p in ADA.score.parts)
    result = replace(ADA, score=replace(ADA.score, total=81.0, parts=slow))
    assert advice.after(LAB, result, file="mine.cu").command == "profile 02-tiled mine.cu"


def test_an_untouched_skeleton_gets_a_start() -> None:
    cases = tuple(
        replace(case, wrong=replace(case.wrong, pattern="never-written") if case.wrong else None)
        for case in run_of(WRONG).cases
    )
    filled = tuple(replace(case, wrong=case.wrong or cases[1].wrong) for case in cases)
    result = replace(WRONG, run=replace(run_of(WRONG), cases=filled))
    assert result.judgement and Verdict.WRONG_ANSWER in {case.verdict for case in result.judgement.cases}
    assert advice.after(LAB, result).why.startswith("nothing writes C yet")
