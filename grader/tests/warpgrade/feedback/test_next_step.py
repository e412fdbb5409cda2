"""What to type next."""

from dataclasses import replace

import pytest

from support import sample_results
from warpgrade.feedback import mistakes, next_step
from warpgrade.records import FaultVerdict, FaultyKernel, LabKind, Part, Result, Run, Verdict

LAB = sample_results.lab()
ADA, BOB, CAROL, DAN, EVE = (
    student.results[0]
    for student in (
        sample_results.right_student(), sample_results.racy_student(), sample_results.failed_build_student(),
        sample_results.withheld_student(), sample_results.hidden_failure_student(),
    )
)  # fmt: skip


def run_of(result: Result) -> Run:
    assert result.run
    return result.run


WRONG = sample_results.with_records(BOB, run=replace(run_of(BOB), findings=()))


@pytest.mark.parametrize(
    ("result", "command"),
    [
        (ADA, "check next"),
        (BOB, "play 02-tiled --finding 1"),
        (CAROL, "check 02-tiled"),
        (DAN, "doctor"),
        (EVE, "hint 02-tiled"),
        (WRONG, "hint 02-tiled"),
    ],
    ids=["right", "racy", "not built", "withheld", "hidden", "wrong"],
)
def test_one_command(result: Result, command: str) -> None:
    assert next_step.after(LAB, result, next_lab="next").command == command


def test_a_finding_outside_the_cases_threads_is_explained() -> None:
    found = tuple(replace(each, label="time/64x64x64/student") for each in run_of(BOB).findings)
    result = sample_results.with_records(BOB, run=replace(run_of(BOB), findings=found))
    assert next_step.after(LAB, result).command.startswith("explain WG")


def test_a_program_that_lacks_a_technique_gets_a_hint_and_no_profile_of_its_lines() -> None:
    assert ADA.score
    parts = (*ADA.score.parts, Part("technique", "overlap", 0.0, 25.0, "one after the other"))
    result = replace(ADA, score=replace(ADA.score, parts=parts))
    assert next_step.after(LAB, result).command.startswith("profile")
    advice = next_step.after(replace(LAB, kind=LabKind.PROGRAM), result)
    assert advice.command == f"hint {LAB.name}" and "overlap" in advice.why


def test_the_last_lab_is_handed_in() -> None:
    assert next_step.after(LAB, ADA).command == "pack"


def test_what_cannot_be_launched_needs_no_hint() -> None:
    refused = sample_results.judgement(dict.fromkeys((case.name for case in LAB.cases), Verdict.RESOURCES))
    result = replace(WRONG, judgement=refused)
    assert next_step.after(LAB, result, file="mine.cu").command == "check 02-tiled mine.cu"


def test_what_is_slow_is_profiled() -> None:
    assert ADA.score
    slow = tuple(replace(p, earned=1.0) if p.kind == "performance" else p for p in ADA.score.parts)
    result = replace(ADA, score=replace(ADA.score, total=81.0, parts=slow))
    assert next_step.after(LAB, result, file="mine.cu").command == "profile 02-tiled mine.cu"


def test_an_untouched_skeleton_gets_a_start() -> None:
    cases = tuple(
        replace(case, wrong=replace(case.wrong, pattern="never-written") if case.wrong else None)
        for case in run_of(WRONG).cases
    )
    wrong = next(case.wrong for case in cases if case.wrong)
    all_of_it = replace(wrong, count=wrong.total)
    filled = tuple(replace(case, wrong=all_of_it) for case in cases)
    result = sample_results.with_records(WRONG, run=replace(run_of(WRONG), cases=filled))
    assert result.judgement and Verdict.WRONG_ANSWER in {case.verdict for case in result.judgement.cases}
    assert next_step.after(LAB, result).why.startswith("nothing writes C yet")
    partly = (replace(filled[0], wrong=wrong), *filled[1:])
    result = sample_results.with_records(WRONG, run=replace(run_of(WRONG), cases=partly))
    assert "nothing writes C" not in next_step.after(LAB, result).why, "some of C is written"


def test_a_failure_known_by_name_only_is_no_untouched_skeleton() -> None:
    verdicts = {case.name: Verdict.PASS for case in LAB.cases} | {sample_results.NAMED: Verdict.WRONG_ANSWER}
    failing = replace(EVE, judgement=sample_results.judgement(verdicts))
    assert next_step.after(LAB, failing).why.startswith(f"wrong answer in {sample_results.NAMED}")


def test_wrong_numbers_come_before_a_warning_and_a_barrier_before_its_races() -> None:
    race = sample_results.race(LAB.cases[0].name)
    warning = replace(race, severity="warning", code="WG115")
    barrier = replace(race, check="barrier", code="WG131")
    warned = sample_results.with_records(BOB, run=replace(run_of(BOB), findings=(warning,)))
    assert next_step.after(LAB, warned).command == "hint 02-tiled"
    both = sample_results.with_records(BOB, run=replace(run_of(BOB), findings=(warning, race, barrier)))
    first = mistakes.in_order(LAB, both)[0].finding
    assert first is not None and first.code == "WG131"
    assert next_step.after(LAB, both).command == "play 02-tiled --finding 1"


@pytest.mark.parametrize(
    ("cause", "says_what"), [("", False), ("outside-the-array", False), ("returned-early", True)]
)
def test_a_cause_that_leaves_the_expression_open_is_no_remedy(cause: str, says_what: bool) -> None:
    outside = replace(sample_results.out_of_bounds(LAB.cases[0].name), cause=cause)
    result = sample_results.with_records(BOB, run=replace(run_of(BOB), findings=(outside,)))
    assert mistakes.has_remedy(LAB, result) == says_what
    assert not mistakes.has_remedy(LAB, WRONG), "where elements are wrong is not why"
    assert not mistakes.has_remedy(LAB, ADA)


def test_a_fault_is_repaired_before_anything_is_profiled() -> None:
    assert ADA.judgement
    fault = FaultyKernel("order", "fault.cu", "tiled", "fault.toml", (), 5, 5)
    item = replace(LAB, faults=(fault,))
    for repaired, command in ((False, "check 02-tiled"), (True, "pack")):
        verdict = FaultVerdict("order", repaired, "", None, "")
        judged = replace(ADA, judgement=replace(ADA.judgement, faults=(verdict,)))
        advice = next_step.after(item, judged)
        assert advice.command == command and ("fault.cu" in advice.why) is not repaired


def test_full_points_of_a_students_copy_are_not_all_points() -> None:
    assert next_step.after(LAB, ADA).why.startswith("full points")
    copy = replace(LAB, elsewhere_points=17.0)
    assert next_step.after(copy, ADA).why == (
        "all points that a check can give; at hand-in come 17 of cases that this copy does not hold; "
        "the archive to hand in"
    )
