"""The policy of running: fresh processes after faults, what is whose fault, times for right kernels only."""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import Any

import pytest

from support.fake_repository import GOOD, LAB, write
from warpgrade.core.errors import GraderError
from warpgrade.grading.session import Session
from warpgrade.records import Build, BuildStatus, Resources, Run, SourceFile, Submission
from warpgrade.run import datasets, run
from warpgrade.sandbox import process

RESOURCES = Resources("sm_90", 32, 2048, 0, 0, 0, 1, 16)


def ran(session: Session, *lines: str, resources: Resources = RESOURCES) -> Run:
    text = "".join(f"// {line}\n" for line in lines) + GOOD
    fatbin = write(session.repository.root / "kernel.fatbin", text)
    submission = Submission("alice", LAB, "alice", (SourceFile("kernel.cu", text),), "hash")
    prepared = session.prepared_labs[0]
    built = Build(BuildStatus.BUILT, "", resources=resources)
    return run.run(built, fatbin, submission, prepared.lab, session.runner, prepared.reference, prepared.data)


def statuses(found: Run) -> list[str]:
    return [case.status for case in found.cases]


def test_right(session: Session) -> None:
    found = ran(session)
    assert statuses(found) == ["pass"] * 3
    assert found.launch_shape is not None and found.launch_shape.threads_per_block == 256
    labels = {launch.label for launch in found.launches}
    assert labels == {"first", "second", "third", "time/64x64x64/student", "time/64x64x64/reference"}
    assert found.printed == "hello from a kernel\n"
    assert found.reference == session.prepared_labs[0].reference.build.resources


def test_emulated_times_are_not_kept(session: Session) -> None:
    timing = ran(session).timings[0]
    assert timing.checked == "pass" and timing.ratio is None and timing.student_ms == ()


def test_wrong_is_not_timed(session: Session) -> None:
    found = ran(session, "second: wrong")
    assert statuses(found) == ["pass", "wrong_answer", "pass"]
    assert found.cases[1].wrong is not None and found.cases[1].wrong.got == "NaN"
    assert not found.timings and len(found.launches) == 2


def test_a_finding_alone_stops_the_timing(session: Session) -> None:
    found = ran(session, "third: race")
    assert statuses(found) == ["pass"] * 3 and not found.timings
    finding = found.findings[0]
    assert (finding.label, finding.place.file, finding.place.line) == ("third", "kernel.cu", 1)
    assert finding.place.source == "// third: race", "the source comes from the submission"


def test_what_is_found_only_when_it_is_timed(session: Session) -> None:
    """The student's finding is kept; one of the reference is dropped."""
    found = ran(session, "RACES WHEN TIMED")
    assert [finding.label for finding in found.findings] == ["time/64x64x64/student"]
    assert statuses(found) == ["pass"] * 3


def test_after_a_sticky_error_the_rest_runs_afresh(session: Session) -> None:
    found = ran(session, "first: memory", "second: memory")
    assert statuses(found) == ["cuda_error", "cuda_error", "pass"]
    assert [finding.label for finding in found.findings] == ["first", "second"]
    assert found.problem is None


def test_a_kernel_that_does_not_end(session: Session) -> None:
    found = ran(session, "second: hang")
    assert statuses(found) == ["pass", "timeout", "pass"]
    assert found.cases[1].message == "the kernel did not end within 1 seconds"


def test_a_crash_of_the_process_is_a_fault_of_ours(session: Session) -> None:
    found = ran(session, "second: crash")
    assert statuses(found) == ["pass", "grader_error", "pass"]
    assert found.problem is not None and "signal 11" in found.problem.message


@pytest.mark.parametrize("line", ["second: crash", "CRASHES AT ONCE"])
def test_too_much_memory_is_the_kernels(session: Session, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """The solution runs within the same limit, so no student can have a score withheld by exceeding it."""
    limited = process.run

    def full(command: Any, box: Any, *others: Any) -> process.Outcome:
        outcome = limited(command, box, *others)
        return replace(outcome, status=137, overfull=True) if outcome.status == 139 else outcome

    monkeypatch.setattr(process, "run", full)
    found = ran(session, line)
    assert "resources" in statuses(found) and found.problem is None
    assert "more than 4,096 MiB of memory" in next(c.message for c in found.cases if c.status == "resources")


@pytest.mark.parametrize("line", ["second: crash", "CRASHES AT ONCE"])
def test_too_much_to_write_is_the_kernels(
    session: Session, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Counters and findings of a kernel with a hundred thousand loads: the kernel ends the process."""
    limited = process.run

    def full(command: Any, box: Any, *others: Any) -> process.Outcome:
        outcome = limited(command, box, *others)
        ended = 128 + signal.SIGXFSZ
        return replace(outcome, status=ended, spilled=True) if outcome.status == 139 else outcome

    monkeypatch.setattr(process, "run", full)
    found = ran(session, line)
    assert "resources" in statuses(found) and found.problem is None
    assert "more than 64 MiB" in next(c.message for c in found.cases if c.status == "resources")


@pytest.mark.parametrize(("line", "words"), [("REFUSED", "bad data"), ("SILENT", "before its first case")])
def test_a_harness_that_refuses(session: Session, line: str, words: str) -> None:
    with pytest.raises(GraderError, match=words):
        ran(session, line)


def test_too_much_shared_memory_is_not_even_started(session: Session) -> None:
    found = ran(session, "REFUSED", resources=Resources("sm_90", 0, 65536, 0, 0, 0, 0, 0))
    assert statuses(found) == ["resources"] * 3
    assert found.cases[0].message == "a block wants 65,536 bytes of shared memory; it may have 49,152"


def test_who_never_ends_does_not_hold_up_a_class_in_every_case(session: Session) -> None:
    """After four cases that time out, cases with as much work are skipped; smaller ones still run."""
    prepared = session.prepared_labs[0]
    cases = tuple(
        replace(prepared.lab.cases[0], name=f"c{at}", size=(size, 4, 4))
        for at, size in enumerate((8, 8, 9, 8, 9, 4))
    )
    lab = replace(prepared.lab, cases=cases, limits=replace(prepared.lab.limits, seconds=0.1))
    data = datasets.prepare(session.repository, lab, "salt")
    text = "".join(f"// c{at}: hang\n" for at in range(5)) + GOOD
    fatbin = write(session.repository.root / "kernel.fatbin", text)
    submission = Submission("alice", LAB, "alice", (SourceFile("kernel.cu", text),), "hash")
    built = Build(BuildStatus.BUILT, "", resources=RESOURCES)
    found = run.run(built, fatbin, submission, lab, session.runner, prepared.reference, data)
    assert statuses(found) == ["timeout"] * 4 + ["not_run", "pass"]
