from dataclasses import replace

from support import sample_results
from warpgrade.feedback import by_chance
from warpgrade.records import Finding, Place, Result, Verdict

LAB = sample_results.lab()
(RIGHT,) = sample_results.right_student().results
FIRST, *_ = [case.name for case in LAB.cases if case.visibility == "visible"]
UNSET = Finding(FIRST, "init", "uninitialised-variable", "WG122", "warning", "m", Place("kernel.cu", 92))


def found(*findings: Finding) -> Result:
    assert RIGHT.run
    return sample_results.with_records(RIGHT, run=replace(RIGHT.run, findings=findings))


def test_results_that_are_right_by_chance_are_called_so() -> None:
    assert "by luck: line 92 uses" in by_chance.sentence(LAB, found(UNSET))
    second = replace(UNSET, place=Place("kernel.cu", 95))
    assert "by luck: lines 92 and 95 use" in by_chance.sentence(LAB, found(UNSET, second))


def test_nothing_is_said_where_no_points_depend_on_chance() -> None:
    assert by_chance.sentence(LAB, RIGHT) == ""
    assert by_chance.sentence(LAB, found(replace(UNSET, kind="division-by-zero"))) == ""
    hidden = next(case.name for case in LAB.cases if case.visibility == "hidden")
    assert by_chance.sentence(LAB, found(replace(UNSET, label=hidden))) == ""
    result = found(UNSET)
    assert result.judgement
    wrong = tuple(replace(case, verdict=Verdict.WRONG_ANSWER) for case in result.judgement.cases)
    assert by_chance.sentence(LAB, replace(result, judgement=replace(result.judgement, cases=wrong))) == ""
