"""What timed launches executed of the machine code, and files that hold none that can be used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from warpgrade.grading.session import Session
from warpgrade.records import Launch, Mix
from warpgrade.run import harness, machine_code


def test_a_fat_binary_without_machine_code_for_the_gpu_leaves_the_counters(
    session: Session, tmp_path: Path
) -> None:
    fatbin = tmp_path / "kernel.fatbin"
    launches = (Launch("time/64x64x64/student", "k", (1,), (32,), {}),)
    job = replace(
        harness.HarnessJob(session.prepared_labs[0].lab, fatbin, session.prepared_labs[0].data),
        reference=fatbin,
    )
    broken = (
        b"\x7fELF" + bytes(14) + (190).to_bytes(2, "little") + bytes(28) + (90 << 8).to_bytes(4, "little")
    )
    for content in (b"", b"\x7fELF" + bytes(80), broken + b"\xff" * 40):
        fatbin.write_bytes(content)
        assert machine_code.counted(launches, job, session.runner) == launches


def test_machine_code_that_lacks_most_of_what_ran_is_not_taken() -> None:
    """It belongs to another program, or a part of it is hidden: the counters come from PTX instead."""
    launch = Launch("time/64x64x64/student", "k", (1,), (32,), {"smsp__inst_executed.sum": 1000})
    mixed = [replace(launch, mix=Mix(1.0, float(each), 0.0, {}, {}, 1.0, 0.0)) for each in (600, 400)]
    assert [machine_code._is_whole(each) for each in (*mixed, launch)] == [True, False, False]
