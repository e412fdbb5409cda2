from dataclasses import replace

from support import sample_results
from warpgrade.feedback import drawn_sizes
from warpgrade.records import Result, Verdict

(RIGHT,) = sample_results.right_student().results
FIRST, *_ = [case.name for case in sample_results.lab().cases if case.visibility == "visible"]
LAB = replace(
    sample_results.lab(),
    cases=tuple(
        replace(case, drawn=("a",) if case.name == FIRST else ()) for case in sample_results.lab().cases
    ),
)


def with_wrong(name: str) -> Result:
    assert RIGHT.judgement
    cases = tuple(
        replace(case, verdict=Verdict.WRONG_ANSWER) if case.name == name else case
        for case in RIGHT.judgement.cases
    )
    return replace(RIGHT, judgement=replace(RIGHT.judgement, cases=cases))


def test_drawn_sizes_are_spoken_of_where_they_matter() -> None:
    other = LAB.cases[1].name
    assert other != FIRST
    assert FIRST in drawn_sizes.sentence(LAB, RIGHT)
    assert FIRST in drawn_sizes.sentence(LAB, with_wrong(FIRST))
    assert drawn_sizes.sentence(LAB, with_wrong(other)) == ""
    assert drawn_sizes.sentence(sample_results.lab(), RIGHT) == ""
