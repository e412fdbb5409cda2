"""grade and regrade as they are typed."""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from support.fake_repository import LAB, hand_in, write
from warpgrade.cli import main
from warpgrade.core import store
from warpgrade.core.errors import ExitCode
from warpgrade.core.paths import Repository
from warpgrade.grading.executors.local import LocalExecutor
from warpgrade.grading.executors.slurm import SlurmExecutor
from warpgrade.grading.jobs import Job
from warpgrade.grading.progress import Meter
from warpgrade.grading.result_file import ResultFile
from warpgrade.grading.session import Session
from warpgrade.sandbox import process

Call = Callable[..., Result]
UNBOXED = ("--sandbox", "none", "--device", "emulator")


@pytest.fixture
def call(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("WARPGRADE_ROOT", str(repository.root))

    def run(*words: str) -> Result:
        result = CliRunner().invoke(main.cli, list(words))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


def row(repository: Repository, student: str) -> dict[str, str]:
    with (repository.grades / "gradebook.csv").open(encoding="utf-8") as stream:
        return next(row for row in csv.DictReader(stream) if row["student"] == student)


def test_roster_policy_and_timings(
    call: Call, repository: Repository, class_folder: Path, tmp_path: Path
) -> None:
    hand_in(class_folder, "alice")
    roster = write(tmp_path / "people.csv", "student,name,folder\nap1,Alice Poe,alice\nbl2,Bo Li,bo\n")
    write(
        repository.root / "policy.toml",
        f"[[adjustment]]\nstudent = 'ap1'\nlab = '{LAB}'\npoints = -5\nreason = 'late talk'\n",
    )
    result = call("grade", str(class_folder), *UNBOXED, "--roster", str(roster), "--timings")
    assert result.exit_code == 0 and "a second" in result.output and "nvcc" in result.output
    alice = row(repository, "ap1")
    assert alice["total"] == "95" and "-5 (adjusted by staff: late talk)" in alice["remarks"]
    assert "nothing was handed in" in row(repository, "bl2")["remarks"]


def test_a_course_without_a_secret_or_with_another_one_is_told(
    call: Call, repository: Repository, class_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(class_folder, "alice")
    monkeypatch.delenv("WARPGRADE_SALT", raising=False)

    def told() -> tuple[bool, bool]:
        shown = call("grade", str(class_folder), *UNBOXED)
        assert shown.exit_code == 0, shown.output
        return "datasets/.salt" in shown.output, "not that of the last grading" in shown.output

    assert told() == (True, False)
    write(repository.salt, "mine\n")
    assert told() == (False, True)
    assert told() == (False, False)


def test_a_lab_that_cannot_be_graded_costs_no_other(
    call: Call, repository: Repository, class_folder: Path
) -> None:
    hand_in(class_folder, "alice")
    shutil.copytree(repository.labs / LAB, repository.labs / "08-broken")
    write(repository.labs / "08-broken" / "harness.cpp", "int main() { return nothing; }\n")
    result = call("grade", str(class_folder), *UNBOXED)
    assert result.exit_code == ExitCode.INSTRUCTOR
    assert "labs/08-broken/harness.cpp" in result.output
    assert "make build/harness/08-broken" in result.output
    assert row(repository, "alice")["total"] == "100"
    result = call("grade", str(class_folder), *UNBOXED, "--lab", "08-broken")
    assert result.exit_code == ExitCode.INSTRUCTOR and "nobody was graded" not in result.output


def test_regrade(call: Call, repository: Repository, class_folder: Path) -> None:
    hand_in(class_folder, "alice")
    assert call("grade", str(class_folder), *UNBOXED).exit_code == 0
    lab = repository.labs / LAB / "lab.toml"
    text = lab.read_text(encoding="utf-8")
    text = text.replace("build = 10", "build = 20").replace("points = 10\nevidence", "points = 0\nevidence")
    write(lab, text)
    shown = call("regrade", *UNBOXED)
    assert "lab.toml changed" in shown.output and "--accept" in shown.output, shown.output
    assert "20/20" in shown.output and row(repository, "alice")["total"] == "100"
    accepted = call("regrade", *UNBOXED, "--accept")
    assert accepted.exit_code == 0 and "before-1" in accepted.output
    assert call("regrade", *UNBOXED).output.startswith("nothing changed")


def test_regrade_on_a_cluster(
    call: Call, repository: Repository, class_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nodes are imitated by this machine."""
    hand_in(class_folder, "alice")
    assert call("grade", str(class_folder), *UNBOXED).exit_code == 0
    submitted: list[str] = []

    def grade(_: SlurmExecutor, jobs: Sequence[Job], out: Path, session: Session, meter: Meter) -> ResultFile:
        submitted.extend(job.student for job in jobs)
        return LocalExecutor().grade(jobs, out, session, meter)

    monkeypatch.setattr(SlurmExecutor, "grade", grade)
    result = call("regrade", *UNBOXED, "--executor", "slurm")
    assert result.exit_code == 0 and result.output.startswith("nothing changed"), result.output
    assert set(submitted) == {"alice"}


def test_a_second_grader_is_refused_by_name(call: Call, repository: Repository, class_folder: Path) -> None:
    hand_in(class_folder, "alice")
    with store.claimed(repository.grades):
        result = call("grade", str(class_folder), *UNBOXED)
    assert result.exit_code == 2
    assert f"another grader (process {os.getpid()}) is at work here" in result.output.replace("\n", " ")


def test_a_folder_that_cannot_be_written(call: Call, repository: Repository, class_folder: Path) -> None:
    hand_in(class_folder, "alice")
    write(repository.root / "file", "")
    result = call("grade", str(class_folder), *UNBOXED, "--out", str(repository.root / "file" / "grades"))
    assert result.exit_code == 4 and "cannot be written" in result.output


def test_a_class_that_is_not_there(call: Call, tmp_path: Path) -> None:
    assert call("grade", str(tmp_path / "nowhere"), *UNBOXED).exit_code == 2


def test_without_a_sandbox_only_the_sample_class_is_graded(
    call: Call, repository: Repository, class_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sample class is ours. A real class needs --sandbox none on the command line."""
    sample = repository.root / "grader" / "tests" / "fixtures" / "submissions" / "class"
    hand_in(sample, "alice")
    hand_in(class_folder, "bo")
    monkeypatch.setattr(process, "why_unavailable", lambda kind: None if kind == "none" else "not permitted")
    refused = call("grade", str(class_folder), "--device", "emulator")
    assert refused.exit_code == 4 and "--sandbox=none" in refused.output
    graded = call("grade", "--device", "emulator")
    assert graded.exit_code == 0 and "sample class is graded without a sandbox" in graded.output
    assert json.loads((repository.grades / "results.json").read_text())["setting"]["sandbox"] == "none"
    assert call("grade", "--device", "emulator", "--sandbox", "bwrap").exit_code == 4
    assert call("grade", str(class_folder), *UNBOXED).exit_code == 0


@pytest.mark.parametrize("out", ["", "grades", "alice/grades"])
def test_grades_among_the_submissions(call: Call, class_folder: Path, out: str) -> None:
    hand_in(class_folder, "alice")
    before = sorted(class_folder.rglob("*"))
    result = call("grade", str(class_folder), *UNBOXED, "--out", str(class_folder / out))
    assert result.exit_code == 2 and "inside the folder of submissions" in result.output
    assert sorted(class_folder.rglob("*")) == before
