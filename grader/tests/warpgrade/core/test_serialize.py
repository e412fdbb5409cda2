"""Records go to JSON and come back the same."""

from __future__ import annotations

import pytest

from warpgrade.core.serialize import dumps, from_data, loads, to_data
from warpgrade.records import (
    Build,
    BuildStatus,
    CaseRun,
    Diagnostic,
    Fault,
    Launch,
    Problem,
    Result,
    Run,
    StageRecords,
    Wrong,
)


def a_run() -> Run:
    wrong = Wrong(3, 16, "C", (4, 4), (0, 1), 1.5, "NaN", block=(0, 0, 0), thread=None, map=("..#",))
    return Run(
        device="emulator",
        cases=(CaseRun("a", "pass"), CaseRun("b", "wrong_answer", wrong=wrong)),
        launches=(Launch("a", "k", (1, 1, 1), (16, 16, 1), {"ffma": 12}),),
        problem=Problem(Fault.GRADER, "broke", "here", "try again"),
    )


def test_round_trip() -> None:
    run = a_run()
    assert loads(Run, dumps(run)) == run


def test_nested_enums_and_options() -> None:
    build = Build(BuildStatus.BUILD_FAILED, "no", (Diagnostic("error", "x", "kernel.cu", 3, "int"),))
    records = StageRecords(build=build, run=a_run())
    back = loads(StageRecords, dumps(records))
    assert back == records
    assert back.build is not None and back.build.status is BuildStatus.BUILD_FAILED


def test_a_field_that_is_not_saved_is_left_out() -> None:
    result = Result("02-tiled", "graded", StageRecords(run=a_run()))
    assert "stages" not in dumps(result) and "stages" not in to_data(result)
    assert loads(Result, dumps(result)).stages == StageRecords()


def test_a_field_that_is_saved_if_set_is_left_out_where_it_is_none() -> None:
    assert "credit" not in to_data(CaseRun("a", "pass")) and "credit" not in dumps(CaseRun("a", "pass"))
    near = CaseRun("a", "wrong_answer", credit=0.5)
    assert to_data(near)["credit"] == 0.5 and loads(CaseRun, dumps(near)) == near


def test_same_record_same_bytes() -> None:
    assert dumps(a_run()) == dumps(a_run())


def test_a_whole_number_is_a_float_where_one_is_asked_for() -> None:
    case = from_data(CaseRun, {"name": "a", "status": "pass", "credit": 1})
    assert case.credit == 1.0 and isinstance(case.credit, float)


def test_numbers_of_an_array_keep_their_type() -> None:
    base = {"count": 1, "total": 2, "array": "y", "shape": [2], "index": [1], "got": "never written"}
    count, real = (from_data(Wrong, base | {"expected": value}) for value in (2**63 + 1, 3.0))
    assert count.expected == 2**63 + 1 and isinstance(count.expected, int)
    assert real.expected == 3.0 and isinstance(real.expected, float)
    assert count.got == real.got == "never written"


@pytest.mark.parametrize(
    "data",
    [[], {"name": 3, "status": "pass"}, {"status": "pass"}, {"name": "a", "status": "pass", "sticky": 1}],
    ids=["list", "number-for-text", "key-missing", "number-for-bool"],
)
def test_another_shape_is_refused(data: object) -> None:
    with pytest.raises((TypeError, KeyError, ValueError)):
        from_data(CaseRun, data)


def test_a_number_that_json_lacks_is_refused() -> None:
    with pytest.raises(ValueError):
        dumps(Wrong(1, 1, "C", (1, 1), (0, 0), float("nan"), 1.0))
