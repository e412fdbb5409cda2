"""What happened in a run becomes one word and one sentence for each case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support.fake_repository import LAB
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.gpu import spec
from warpgrade.judge import verdict
from warpgrade.records import (
    Build,
    BuildStatus,
    CaseRun,
    Finding,
    Judgement,
    Lab,
    Launch,
    LaunchShape,
    Mix,
    Place,
    Resources,
    Run,
    Timing,
    Verdict,
)

H200 = spec.load(Repository(Path(__file__).resolve().parents[4]), "h200")
RESOURCES = Resources("sm_90", 32, 2048, 0, 0, 0, 1, 16)
BUILT = Build(BuildStatus.BUILT, "", resources=RESOURCES)
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
LOADED = "smsp__sass_data_bytes_mem_global_op_ld.sum"


@pytest.fixture
def item(repository: Repository) -> Lab:
    return lab.load(repository.labs / LAB)


def timed(student: int, reference: int) -> tuple[Launch, ...]:
    return tuple(
        Launch(f"time/64x64x64/{who}", "k", (4, 4, 1), (16, 16, 1), {WAVEFRONTS: work})
        for who, work in (("student", student), ("reference", reference))
    )


RIGHT = Run(
    "emulator",
    launch_shape=LaunchShape((16, 16), (16, 16)),
    cases=tuple(CaseRun(name, "pass") for name in ("first", "second", "third")),
    launches=(Launch("first", "k", (), (), {LOADED: 128}), *timed(8_000_000, 4_000_000)),
    reference=RESOURCES,
)


def judged(item: Lab, run: Run, build: Build = BUILT) -> Judgement:
    return verdict.judge(build, run, item, H200)


def with_case(case: CaseRun) -> Run:
    return replace(RIGHT, cases=(case, *RIGHT.cases[1:]))


def finding(check: str, kind: str = "kind", severity: str = "error") -> Finding:
    return Finding("first", check, kind, "WG100", severity, "two threads meet", Place("kernel.cu", 12))


def test_right(item: Lab) -> None:
    found = judged(item, RIGHT)
    assert [case.verdict for case in found.cases] == [Verdict.PASS] * 3
    assert found.techniques[0].met
    assert found.performance is not None and found.performance.judged
    assert found.performance.ratio == pytest.approx(0.5)
    assert found.occupancy is not None and found.occupancy.blocks == 8


@pytest.mark.parametrize(
    ("status", "error", "wanted"),
    [
        ("wrong_answer", "", Verdict.WRONG_ANSWER),
        ("stray_write", "", Verdict.MEMORY),
        ("input_changed", "", Verdict.MEMORY),
        ("launch_shape", "", Verdict.RESOURCES),
        ("timeout", "", Verdict.TIMEOUT),
        ("grader_error", "", Verdict.GRADER_ERROR),
        ("kernel_missing", "", Verdict.GRADER_ERROR),
        ("cuda_error", "cudaErrorIllegalAddress", Verdict.MEMORY),
        ("cuda_error", "cudaErrorAssert", Verdict.CRASH),
        ("cuda_error", "cudaErrorInvalidConfiguration", Verdict.RESOURCES),
        ("cuda_error", "cudaErrorInvalidPtx", Verdict.GRADER_ERROR),
    ],
)
def test_statuses(item: Lab, status: str, error: str, wanted: Verdict) -> None:
    found = judged(item, with_case(CaseRun("first", status, "what happened", error)))
    assert found.cases[0].verdict == wanted and found.cases[0].sentence == "what happened"
    assert found.cases[1].verdict == Verdict.PASS
    assert found.performance is not None and not found.performance.judged


def test_what_the_emulator_lacks(item: Lab) -> None:
    """Our fault if nvcc wrote the instruction, the student's if the submission may have written it."""
    run = with_case(CaseRun("first", "cuda_error", "no such instruction", "cudaErrorNotSupported"))
    run = replace(run, findings=(finding("unsupported"),))
    own = judged(item, run, replace(BUILT, assembly=True)).cases[0]
    assert own.verdict == Verdict.CRASH and "does not execute this inline assembly" in own.sentence
    assert judged(item, run).cases[0].verdict == Verdict.GRADER_ERROR
    ours = with_case(CaseRun("first", "grader_error", "signal 11"))
    assert judged(item, ours, replace(BUILT, assembly=True)).cases[0].verdict == Verdict.GRADER_ERROR


@pytest.mark.parametrize(
    ("check", "kind", "wanted"),
    [
        ("memory", "out-of-bounds-read", Verdict.MEMORY),
        ("init", "uninitialised-read", Verdict.MEMORY),
        ("race", "race-read-write", Verdict.RACE),
        ("barrier", "barrier-deadlock", Verdict.BARRIER),
        ("limit", "step-limit", Verdict.TIMEOUT),
        ("trap", "assertion", Verdict.CRASH),
        ("trap", "launch-resources", Verdict.RESOURCES),
        ("unsupported", "unsupported-instruction", Verdict.GRADER_ERROR),
    ],
)
def test_a_finding_outweighs_a_right_result(item: Lab, check: str, kind: str, wanted: Verdict) -> None:
    found = judged(item, replace(RIGHT, findings=(finding(check, kind),)))
    assert found.cases[0].verdict == wanted
    assert found.cases[0].sentence == "kernel.cu:12: two threads meet"
    assert found.cases[0].codes == ("WG100",)
    assert found.cases[1].verdict == Verdict.PASS


def test_a_remark_without_a_code_is_not_among_the_codes(item: Lab) -> None:
    remark = replace(finding("host", "idle-blocks", "warning"), code="")
    assert judged(item, replace(RIGHT, findings=(remark,))).cases[0].codes == ()


def test_a_remark_does_not_make_a_program_right_that_ended(item: Lab) -> None:
    ended = with_case(CaseRun("first", "crash", "exit code 1"))
    remark = finding("init", "unwritten-copy", "warning")
    found = judged(item, replace(ended, findings=(remark,))).cases[0]
    assert (found.verdict, found.sentence) == (Verdict.CRASH, "exit code 1")
    found = judged(item, replace(ended, findings=(remark, finding("race")))).cases[0]
    assert (found.verdict, found.sentence) == (Verdict.RACE, "kernel.cu:12: two threads meet")


def test_the_same_value_twice_is_a_race_all_the_same(item: Lab) -> None:
    found = judged(item, replace(RIGHT, findings=(finding("race", "race-same-value", "warning"),)))
    assert found.cases[0].verdict == Verdict.RACE


def test_of_several_faults_the_one_that_hides_the_others(item: Lab) -> None:
    run = replace(
        with_case(CaseRun("first", "wrong_answer", "wrong")), findings=(finding("race"), finding("barrier"))
    )
    assert judged(item, run).cases[0].verdict == Verdict.BARRIER


def test_a_race_explains_a_read_of_what_nobody_has_written(item: Lab) -> None:
    both = (finding("init"), finding("race"))
    assert judged(item, replace(RIGHT, findings=both)).cases[0].verdict == Verdict.RACE
    assert (
        judged(item, replace(RIGHT, findings=(*both, finding("memory")))).cases[0].verdict == Verdict.MEMORY
    )


@pytest.mark.parametrize(("check", "kind"), [("race", "global-race"), ("memory", "out-of-bounds-read")])
def test_wrong_numbers_explain_more_than_findings_of_a_wrong_index(item: Lab, check: str, kind: str) -> None:
    wrong = replace(with_case(CaseRun("first", "wrong_answer", "wrong")), findings=(finding(check, kind),))
    assert judged(item, wrong).cases[0].verdict == Verdict.WRONG_ANSWER
    assert judged(item, wrong).cases[0].codes == ("WG100",)
    right = judged(item, replace(RIGHT, findings=(finding(check, kind),))).cases[0]
    assert right.verdict in {Verdict.RACE, Verdict.MEMORY}


def test_what_the_harness_leaves_behind_is_nobodys_fault(item: Lab) -> None:
    left = finding("memory", "memory-leak", "warning")
    assert judged(item, replace(RIGHT, findings=(left,))).cases[0].verdict == Verdict.PASS


def test_the_device_must_agree(item: Lab) -> None:
    device = (CaseRun("first", "wrong_answer", "12 wrong"), *RIGHT.cases[1:])
    run = replace(RIGHT, device="gpu", device_name="H200", device_cases=device)
    found = judged(item, run)
    assert found.cases[0].verdict == Verdict.WRONG_ANSWER
    assert found.cases[0].sentence == "on H200: 12 wrong"


def test_registers_that_no_block_can_have(item: Lab) -> None:
    run = replace(RIGHT, launch_shape=LaunchShape((32, 32), (32, 32)))
    greedy = replace(BUILT, resources=replace(RESOURCES, registers=96))
    found = judged(item, run, greedy)
    assert {case.verdict for case in found.cases} == {Verdict.RESOURCES}
    assert "1,024 threads with 96 registers each needs 98,304 registers" in found.cases[0].sentence


def test_not_built(item: Lab) -> None:
    found = verdict.judge(Build(BuildStatus.BUILD_FAILED, "no"), None, item, H200)
    assert {case.verdict for case in found.cases} == {Verdict.SKIPPED}
    ours = verdict.judge(Build(BuildStatus.GRADER_ERROR, "no"), None, item, H200)
    assert {case.verdict for case in ours.cases} == {Verdict.GRADER_ERROR}


def test_measured_times(item: Lab) -> None:
    timings = (Timing((64, 64, 64), (2.0, 4.0, 3.0), (1.0, 2.0, 3.0), 0.6, False, "pass"),)
    run = replace(RIGHT, device="gpu", device_name="H200", device_cases=RIGHT.cases, timings=timings)
    performance = judged(item, run).performance
    assert performance is not None and performance.ratio == pytest.approx(0.6) and not performance.modelled
    assert performance.sizes[0].student_ms == 3.0


@pytest.mark.parametrize(
    ("checked", "error", "words"),
    [("wrong_answer", "", "was wrong"), ("", "cudaErrorAssert", "cudaErrorAssert")],
)
def test_a_timed_result_that_is_wrong_earns_nothing(item: Lab, checked: str, error: str, words: str) -> None:
    timings = (Timing((64, 64, 64), (), (), None, True, checked, error),)
    performance = judged(item, replace(RIGHT, timings=timings)).performance
    assert performance is not None and not performance.judged and words in performance.sentence


def test_no_times(item: Lab) -> None:
    performance = judged(item, replace(RIGHT, launches=())).performance
    assert performance is not None and not performance.judged


def test_a_deadlock_is_no_time_out(item: Lab) -> None:
    """The launch ends with the error of a time-out; what was found says why."""
    ended = with_case(CaseRun("first", "cuda_error", "timed out", "cudaErrorLaunchTimeout"))
    assert judged(item, ended).cases[0].verdict == Verdict.TIMEOUT
    deadlocked = replace(ended, findings=(finding("barrier"),))
    assert judged(item, deadlocked).cases[0].verdict == Verdict.BARRIER


MIX = Mix(16.0, 64_000.0, 0.0, {"ffma": 32_000.0}, {}, 900.0, 0.0)


def with_mixes(student: Mix | None, reference: Mix | None) -> Run:
    mixes = {"student": student, "reference": reference}
    launches = (replace(each, mix=mixes.get(each.label.rpartition("/")[2])) for each in RIGHT.launches)
    return replace(RIGHT, launches=tuple(launches))


def test_times_are_modelled_from_machine_code_where_both_sides_have_some(item: Lab) -> None:
    found = judged(item, with_mixes(MIX, replace(MIX, instructions=32_000.0))).performance
    assert found is not None and found.basis == "machine code"
    assert "modelled on NVIDIA H200 from its machine code: " in found.sentence


@pytest.mark.parametrize(("student", "reference"), [(MIX, None), (None, MIX), (None, None)])
def test_without_machine_code_of_both_sides_neither_uses_it(
    item: Lab, student: Mix | None, reference: Mix | None
) -> None:
    found = judged(item, with_mixes(student, reference)).performance
    assert found is not None and found.basis == "PTX"
    assert "modelled on NVIDIA H200 from its PTX: " in found.sentence
    assert found.ratio == pytest.approx(0.5)  # of the counters, as without machine code


@pytest.mark.parametrize(
    ("outputs", "blocks", "ratio"),
    [
        ((16, 16), None, 0.5),  # grows with the size
        ((16, 16), 1, 0.5 * 4 / 132),  # one block, whatever the size; the reference's 16 grow to 4,096
        ((16, 16), 16, 0.5 * 64 / 132),
        ((16, 16), 33, 0.5),
        ((16, 16), 4000, 0.5),
        ((1 << 20, 1 << 10), None, 0.5 * 4 / 132),  # one block covers whatever there is
    ],
)
def test_a_grid_that_does_not_grow_with_the_size_leaves_sms_idle(
    item: Lab, outputs: tuple[int, int], blocks: int | None, ratio: float
) -> None:
    run = replace(RIGHT, launch_shape=LaunchShape((16, 16), outputs, "k", blocks))
    found = judged(item, run).performance
    assert found is not None and found.ratio == pytest.approx(ratio)
    assert ("the pace is set by the number of blocks" in found.sentence) == (ratio < 0.5)
    assert ("let the number of blocks grow" in found.sentence) == (ratio < 0.5)
    assert (found.lines is None) == (ratio < 0.5), "no line takes the time of idle SMs"


def test_measured_times_have_no_basis(item: Lab) -> None:
    times = (Timing((64, 64, 64), (2.0,), (1.0,), 0.5, False, "pass"),)
    found = judged(item, replace(RIGHT, device="gpu", timings=times)).performance
    assert found is not None and found.basis == "" and found.sentence.startswith("measured on ")
