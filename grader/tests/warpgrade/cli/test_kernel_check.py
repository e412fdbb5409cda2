"""The exit code of a check, and the kernel that a command line names."""

from __future__ import annotations

import io
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from support import sample_results
from support.fake_repository import GOOD, LAB, write
from warpgrade.cli import kernel_check
from warpgrade.cli.commands.labs import check
from warpgrade.cli.parameters import MachineOptions
from warpgrade.core.errors import ExitCode, UsageError
from warpgrade.core.paths import Repository, here
from warpgrade.export import check_json
from warpgrade.feedback.unoptimised import TITLE
from warpgrade.records import Finding, LabKind, Place
from warpgrade.run import run as run_stage

needs_tools = pytest.mark.skipif(not here().emulator.exists(), reason="needs the emulator: make tools")
RIGHT = sample_results.right_student().results[0]


def test_an_access_out_of_bounds_in_a_timed_launch_is_not_right() -> None:
    assert RIGHT.run is not None and kernel_check.exit_code(RIGHT) == ExitCode.DONE
    outside = Finding("time/64x64x64/student", "memory", "out-of-bounds-read", "WG101", "error", "m", Place())
    found = sample_results.with_records(RIGHT, run=replace(RIGHT.run, findings=(outside,)))
    assert kernel_check.exit_code(found) == ExitCode.NOT_RIGHT
    remark = replace(outside, check="init", kind="uninitialised-variable", code="WG122", severity="warning")
    found = sample_results.with_records(RIGHT, run=replace(RIGHT.run, findings=(remark,)))
    assert kernel_check.exit_code(found) == ExitCode.DONE


def test_a_file_alone_names_its_lab(repository: Repository, tmp_path: Path) -> None:
    file = write(tmp_path / "mine.cu", GOOD)
    subject = kernel_check.subject_of(repository, str(file), None)
    assert (subject.lab.name, subject.path) == (LAB, file)


def test_the_command_that_plays_a_finding_can_be_copied(repository: Repository, tmp_path: Path) -> None:
    subject = kernel_check.subject_of(repository, LAB, None)
    subject = replace(subject, lab=sample_results.lab())
    shown = io.StringIO()
    printer = kernel_check.ResultPrinter(Console(file=shown, width=200), subject, tmp_path, None)
    printer.print_rest(sample_results.racy_student().results[0])
    assert f" play {subject.lab.name} --finding 1" in shown.getvalue()


def test_a_harness_older_than_its_source_is_reported(repository: Repository) -> None:
    source = write(repository.labs / LAB / "harness.cpp", "int main() {}")
    subject = kernel_check.subject_of(repository, LAB, None)
    machine, shown = MachineOptions("emulator", "none", "h200"), io.StringIO()
    kernel_check.session_for(subject, machine, Console(file=shown, width=200))
    assert "labs/07-fake/harness.cpp has changed" in shown.getvalue() and "make tools" in shown.getvalue()
    os.utime(source, (0, 0))
    shown.truncate(0)
    kernel_check.session_for(subject, machine, Console(file=shown, width=200))
    assert "has changed" not in shown.getvalue()


RACE_WITHOUT_RESULT = """#include "launch_shape.cuh"
constexpr int SIDE = 16;
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)
extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ int seen[4];
  const int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
  if (row >= m || column >= n) return;
  seen[threadIdx.x % 4] = threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
  C[row * n + column] = sum;
}
"""


@needs_tools
@pytest.mark.long
def test_a_thorough_check_shows_what_the_compiler_removes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "mine.cu", RACE_WITHOUT_RESULT)
    subject = kernel_check.subject_of(here(), "01-basic", file)
    console = Console(quiet=True)
    session = kernel_check.session_for(subject, MachineOptions("emulator"), console)
    result = kernel_check.check(subject, session, console, quiet=True)
    timed: list[object] = []
    monkeypatch.setattr(run_stage, "_timed", lambda *given: timed.append(given))
    found = kernel_check.unoptimised(subject, session, result)
    assert not timed, "nobody reads the times of a build without optimisation"
    data = check_json.data(subject.lab, result, found)
    assert [row["code"] for row in data["unoptimised"]] == [finding.code for finding in found]
    assert check_json.data(subject.lab, result)["unoptimised"] is None
    assert kernel_check.exit_code(result) == ExitCode.DONE
    assert {(finding.check, finding.place.line) for finding in found} == {("race", 8)}
    console = Console(record=True, width=80, file=io.StringIO())
    kernel_check.print_unoptimised(subject, found, console)
    assert TITLE in console.export_text()


def test_json_holds_what_a_thorough_check_shows(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = kernel_check.subject_of(repository, LAB, None)
    removed = Finding("", "race", "race-read-write", "WG112", "error", "m", Place())
    answers = {"subject_of": subject, "session_for": None, "check": RIGHT, "unoptimised": (removed,)}
    for name, answer in answers.items():
        monkeypatch.setattr(kernel_check, name, lambda *_, answer=answer, **__: answer)
    for words, expected in (["--thorough"], ["WG112"]), ([], None):
        done = CliRunner().invoke(check.command, ["01", "--json", *words])
        rows = json.loads(done.output)["unoptimised"]
        assert (rows and [row["code"] for row in rows]) == expected


def test_a_thorough_check_is_for_kernels_on_the_emulator(repository: Repository) -> None:
    subject = kernel_check.subject_of(repository, LAB, None)
    program = replace(subject, lab=replace(subject.lab, kind=LabKind.PROGRAM))
    session = kernel_check.session_for(subject, MachineOptions("emulator", "none"), Console(quiet=True))
    with pytest.raises(UsageError, match="--thorough"):
        kernel_check.unoptimised(program, session, RIGHT)
