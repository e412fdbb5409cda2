import dataclasses

import pytest

from support import sample_results
from warpgrade.core.paths import here
from warpgrade.feedback import comparisons
from warpgrade.feedback.comparisons import Comparison
from warpgrade.gpu import spec
from warpgrade.records import Launch, LaunchShape, Resources

LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
RESULT = sample_results.right_student().results[0]
assert RESULT.run
RUN = RESULT.run
LAB = sample_results.lab()


def compared(launches: tuple[Launch, ...]) -> list[Comparison]:
    run = dataclasses.replace(RUN, launches=launches)
    student, reference = comparisons.compared_launches(LAB, sample_results.with_records(RESULT, run=run))
    return list(comparisons.counters(student, reference, {LOADS: "sectors of the loads"}))


def test_counters_stand_beside_the_references() -> None:
    first = compared(RUN.launches)[0]
    assert (first.meaning, first.student, first.reference) == ("sectors of the loads", "32,768", "8,192")
    assert first.ratio == 4.0
    assert first.bar == pytest.approx(50 + 50 * 0.60206, abs=0.01)


def test_a_counter_without_reference_has_no_ratio() -> None:
    row = compared(RUN.launches[:1])[0]
    assert (row.reference, row.ratio, row.bar) == ("–", None, 0.0)


def test_the_largest_timed_size_is_compared() -> None:
    small = dataclasses.replace(RUN.launches[0], label="time/9x999x9/student", counters={LOADS: 1})
    assert compared((small, *RUN.launches))[0].student == "32,768"


def test_without_launches_nothing_is_compared() -> None:
    assert compared(()) == []


def test_a_kernel_that_was_not_timed_shows_its_largest_visible_case() -> None:
    cases = [
        (sample_results.SECRET, 1),
        (LAB.cases[0].name, 2),
        (LAB.cases[2].name, 3),
        (sample_results.NAMED, 4),
    ]
    untimed = tuple(
        dataclasses.replace(RUN.launches[0], label=name, counters={LOADS: loads}) for name, loads in cases
    )
    (row,) = compared(untimed)
    assert (row.student, row.reference) == ("3", "–")


def test_costs_are_by_line_with_the_source() -> None:
    shared, loads = comparisons.costs(RUN.launches[0], RESULT.submission)
    assert (shared.line, shared.cost) == (15, "2.0 wavefronts a request, 1.0 would suffice")
    assert loads.cost == "8.0 sectors a request, 4.0 would suffice"
    assert shared.source.startswith("for (int i = 0;")


def test_resources_that_are_nought_are_left_out() -> None:
    assert [row.name for row in comparisons.resources(RESULT)] == ["registers", "shared memory"]


def test_further_kernels_have_resources_and_an_occupancy() -> None:
    assert RESULT.build
    second = Resources("sm_90", 64, 1024, 0, 0, 0, 1, 380)
    build = dataclasses.replace(RESULT.build, other_resources={"second": second})
    run = dataclasses.replace(RUN, other_shapes=(LaunchShape((512,), (512,), "second"),))
    result = sample_results.with_records(RESULT, build=build, run=run)
    rows = {row.name: row.student for row in comparisons.resources(result)}
    assert rows["registers of second"] == "64" and rows["shared memory of second"] == "1,024"
    assert "spilled stores of second" not in rows
    gpu = spec.load(here(), "h200")
    found = dict(comparisons.occupancies(result, gpu))
    assert found["second"].warps == 32 and found["second"].limiter == "registers"
    assert "second" not in dict(comparisons.occupancies(result, None))
