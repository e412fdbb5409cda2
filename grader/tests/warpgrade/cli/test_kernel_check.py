"""The exit code of a check, and the kernel that a command line names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from support import sample_results
from support.fake_repository import GOOD, LAB, write
from warpgrade.cli import kernel_check
from warpgrade.core.errors import ExitCode
from warpgrade.core.paths import Repository
from warpgrade.records import Finding, Place

RIGHT = sample_results.right_student().results[0]


def test_a_stray_access_in_a_timed_launch_is_not_right() -> None:
    assert RIGHT.run is not None and kernel_check.exit_code(RIGHT) == ExitCode.DONE
    stray = Finding("time/64x64x64/student", "memory", "out-of-bounds-read", "WG101", "error", "m", Place())
    found = sample_results.with_records(RIGHT, run=replace(RIGHT.run, findings=(stray,)))
    assert kernel_check.exit_code(found) == ExitCode.NOT_RIGHT
    remark = replace(stray, check="init", kind="uninitialised-variable", code="WG122", severity="warning")
    found = sample_results.with_records(RIGHT, run=replace(RIGHT.run, findings=(remark,)))
    assert kernel_check.exit_code(found) == ExitCode.DONE


def test_a_file_alone_names_its_lab(repository: Repository, tmp_path: Path) -> None:
    file = write(tmp_path / "mine.cu", GOOD)
    subject = kernel_check.subject_of(repository, str(file), None)
    assert (subject.lab.name, subject.path) == (LAB, file)
