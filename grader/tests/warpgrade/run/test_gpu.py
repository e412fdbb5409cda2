"""What running on a GPU adds, with imitated cards and harness: who is blamed, and when times count."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.fake_repository import GOOD, LAB, write
from warpgrade.core.errors import GraderError
from warpgrade.gpu import conditions
from warpgrade.gpu.devices import BrokenDevice, Device, DevicePool
from warpgrade.grading.session import Session
from warpgrade.records import Build, BuildStatus, GpuState, Resources, Run, SourceFile, Submission
from warpgrade.run import harness, run
from warpgrade.run.harness import RunnerConfig

RESOURCES = Resources("sm_90", 32, 2048, 0, 0, 0, 1, 16)
CALM = GpuState(1980.0, 3201.0, 41.0, 190.0, 0, (), "580")
HOT = replace(CALM, reasons=0x20, celsius=92.0)


@pytest.fixture
def runner(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunnerConfig:
    monkeypatch.setattr(harness, "_runtime", lambda device, runner: tmp_path)
    pool = DevicePool((Device(0, 0, "GPU-a"), Device(1, 1, "GPU-b")))
    return replace(session.runner, gpus=pool)


@pytest.fixture(autouse=True)
def states(monkeypatch: pytest.MonkeyPatch) -> list[GpuState]:
    """What nvidia-smi says, one after the other; calm once they are used up."""
    said: list[GpuState] = []
    monkeypatch.setattr(conditions, "read", lambda card: said.pop(0) if said else CALM)
    monkeypatch.setattr(run, "_PAUSE", 0)
    return said


def ran(session: Session, runner: RunnerConfig, *lines: str, reference: tuple[str, ...] = ()) -> Run:
    text = "".join(f"// {line}\n" for line in lines) + GOOD
    fatbin = write(session.repository.root / "kernel.fatbin", text)
    known = write(
        session.repository.root / "reference.fatbin", "".join(f"// {line}\n" for line in reference) + GOOD
    )
    submission = Submission("alice", LAB, "alice", (SourceFile("kernel.cu", text),), "hash")
    prepared = session.prepared_labs[0]
    solution = replace(prepared.reference, fatbin=known)
    built = Build(BuildStatus.BUILT, "", resources=RESOURCES)
    return run.run(built, fatbin, submission, prepared.lab, runner, solution, prepared.data, "gpu")


def cards_left(pool: DevicePool) -> Iterator[Device | None]:
    with pool.one() as first:
        yield first
        with pool.one() as second:
            yield second


def test_a_right_kernel_is_judged_on_both_and_timed(session: Session, runner: RunnerConfig) -> None:
    found = ran(session, runner)
    assert (
        [case.status for case in found.cases] == [case.status for case in found.device_cases] == ["pass"] * 3
    )
    assert found.conditions is not None and found.conditions.before == CALM
    assert found.problem is None


def test_a_lab_without_a_size_for_a_gpu_is_judged_there_and_not_timed(
    session: Session, runner: RunnerConfig
) -> None:
    prepared = session.prepared_labs[0]
    untimed = replace(prepared.lab, performance=replace(prepared.lab.performance, gpu_sizes=()))
    found = ran(replace(session, prepared_labs=(replace(prepared, lab=untimed),)), runner)
    assert [case.status for case in found.device_cases] == ["pass"] * 3
    assert found.conditions is None and not any(timing.ratio for timing in found.timings)
    assert found.problem is None


def test_timing_has_more_than_the_seconds_of_the_labs_cases(
    session: Session, runner: RunnerConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[bool, float] = {}
    start = harness._start

    def watched(job: harness.HarnessJob, *others: Any) -> harness.HarnessReport:
        if job.device == "gpu":
            given[job.reference is not None] = others[-1].seconds
        return start(job, *others)

    monkeypatch.setattr(harness, "_start", watched)
    assert ran(session, runner).problem is None
    assert given[True] > given[False] == session.prepared_labs[0].lab.limits.seconds


def test_a_hot_card_is_tried_again(session: Session, runner: RunnerConfig, states: list[GpuState]) -> None:
    states += [CALM, HOT, HOT, CALM]
    found = ran(session, runner)
    assert found.problem is None
    assert found.conditions is not None and found.conditions.after == CALM


def test_no_score_from_a_card_that_stays_hot(
    session: Session, runner: RunnerConfig, states: list[GpuState]
) -> None:
    states += [HOT] * 20
    found = ran(session, runner)
    assert found.timings == ()
    assert found.problem is not None
    assert "slowed down by heat at 92 °C" in found.problem.message


def test_a_faulty_kernel_is_blamed_where_a_good_one_works(session: Session, runner: RunnerConfig) -> None:
    found = ran(session, runner, "second: memory")
    assert [case.status for case in found.device_cases] == ["pass", "cuda_error", "pass"]
    assert set(cards_left(runner.gpus)) == {Device(0, 0, "GPU-a"), Device(1, 1, "GPU-b")}


def test_nobody_is_blamed_by_a_card_on_which_the_solution_fails(
    session: Session, runner: RunnerConfig
) -> None:
    with pytest.raises(BrokenDevice, match="GPU-a fails with the reference solution as well"):
        ran(session, runner, "second: memory", reference=("first: memory",))
    with runner.gpus.one() as left:
        assert left == Device(1, 1, "GPU-b")
    with pytest.raises(BrokenDevice):
        ran(session, runner, "second: memory", reference=("first: memory",))
    with pytest.raises(GraderError, match="no GPU is left"):
        ran(session, runner)


def test_an_endless_kernel_does_not_hold_a_card_for_every_case(
    session: Session, runner: RunnerConfig
) -> None:
    found = ran(session, runner, "first: hang on a gpu", "second: hang on a gpu")
    assert [case.status for case in found.device_cases] == ["timeout", "timeout", "not_run"]
    assert [case.status for case in found.cases] == ["pass"] * 3


def test_a_case_that_the_emulator_found_endless_does_not_run_on_a_card(
    session: Session, runner: RunnerConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    start = harness.start

    def watched(job: harness.HarnessJob, *rest: Any) -> harness.HarnessReport:
        asked.extend(word for word in job.arguments if job.device == "gpu" and "subcase" in word)
        return start(job, *rest)

    monkeypatch.setattr(harness, "start", watched)
    found = ran(session, runner, "first: hang", "second: wrong")
    assert [case.status for case in found.device_cases] == ["timeout", "wrong_answer", "pass"]
    assert asked == ["--subcase=second,third"]


def test_no_card_waits_for_the_emulator(
    session: Session, runner: RunnerConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cards are few: what the processor can do is done before one is taken."""
    held: list[bool] = []
    seen: list[tuple[str, bool]] = []

    class Watched(DevicePool):
        @contextmanager
        def one(self) -> Iterator[Device | None]:
            with super().one() as card:
                held.append(True)
                yield card
                held.clear()

    start = harness.start

    def watched(job: harness.HarnessJob, *rest: Any) -> harness.HarnessReport:
        seen.append((job.device, bool(held)))
        return start(job, *rest)

    monkeypatch.setattr(harness, "start", watched)
    ran(session, replace(runner, gpus=Watched([Device(0, 0)])))
    assert {device for device, _ in seen} == {"emulator", "gpu"}
    assert all(on_card == (device == "gpu") for device, on_card in seen)
