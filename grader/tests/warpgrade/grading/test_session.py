"""What is made once for a class, and what makes saved runs stale."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from support.fake_repository import GOOD, LAB, write
from warpgrade.core.errors import GraderError, InstructorError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.grading.progress import Pace
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.records import Lab
from warpgrade.run import compute_sanitizer, harness
from warpgrade.sandbox import confine, process

EMULATOR = Options("emulator", "none")


def prepared(repository: Repository, options: Options = EMULATOR) -> Session:
    return prepare(repository, lab.find(repository), options)


def test_prepare(session: Session) -> None:
    prepared = session.prepared_labs[0]
    assert (
        prepared.lab.name == LAB
        and prepared.reference.fatbin.is_file()
        and (prepared.data / "cases.json").is_file()
    )
    assert session.setting.device == "emulator" and session.setting.device_name == "emulator of NVIDIA H200"
    assert session.setting.toolkit == "13.0.88" and session.setting.sandbox == "none"
    assert "default" not in session.setting.salt


def test_labs_are_prepared_side_by_side_and_progress_says_which(repository: Repository) -> None:
    paces: list[Pace] = []
    labs = lab.find(repository) * 2
    session = prepare(repository, labs, replace(EMULATOR, jobs=2), paces.append)
    assert [each.lab.name for each in session.prepared_labs] == [LAB, LAB]
    assert paces[0] == Pace(0, 2, (LAB,), what="labs prepared")
    assert paces[-1] == Pace(2, 2, (), what="labs prepared")


def test_the_same_again_has_the_same_fingerprint(repository: Repository) -> None:
    assert (
        prepared(repository).prepared_labs[0].fingerprint == prepared(repository).prepared_labs[0].fingerprint
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("build/emulator/libcudart.so.13", "another library"),
        (f"solutions/{LAB}/kernel.cu", GOOD + "// faster\n"),
        ("labs/common/launch_shape.cuh", "#define OTHER\n"),
    ],
)
def test_what_makes_runs_stale(repository: Repository, path: str, text: str) -> None:
    before = prepared(repository).prepared_labs[0].fingerprint
    write(repository.root / path, text)
    assert prepared(repository).prepared_labs[0].fingerprint != before


def test_another_harness_makes_runs_stale(repository: Repository) -> None:
    before = prepared(repository).prepared_labs[0].fingerprint
    text = repository.harness(LAB).read_text() + "# another\n"
    repository.harness(LAB).unlink()
    write(repository.harness(LAB), text).chmod(0o755)
    assert prepared(repository).prepared_labs[0].fingerprint != before


def test_a_harness_that_makes_no_data_is_an_error(repository: Repository) -> None:
    repository.harness(LAB).unlink()
    write(repository.harness(LAB), "#!/bin/sh\n").chmod(0o755)
    with pytest.raises(GraderError, match="wrote no data"):
        prepared(repository)


def test_another_emu_makes_runs_stale(repository: Repository) -> None:
    before = prepared(repository).prepared_labs[0].fingerprint
    real = repository.emu.resolve()
    repository.emu.unlink()  # a link into the checkout
    write(repository.emu, f'#!/bin/sh\nexec {real} "$@"\n').chmod(0o755)
    assert prepared(repository).prepared_labs[0].fingerprint != before


def test_the_secret_makes_runs_stale(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    before = prepared(repository).prepared_labs[0].fingerprint
    monkeypatch.setenv("WARPGRADE_SALT", "another")
    assert prepared(repository).prepared_labs[0].fingerprint != before


def test_points_alone_do_not(repository: Repository) -> None:
    file = repository.labs / LAB / "lab.toml"
    before = prepared(repository).prepared_labs[0].fingerprint
    text = (
        file.read_text()
        .replace("build = 10", "build = 20")
        .replace("[performance]\npoints = 20", "[performance]\npoints = 10")
    )
    file.write_text(text)
    assert prepared(repository).prepared_labs[0].fingerprint == before


def test_a_solution_that_does_not_build(repository: Repository) -> None:
    write(repository.solution(LAB) / "kernel.cu", "int a;\n// SYNTAX\n")
    with pytest.raises(InstructorError) as caught:
        prepared(repository)
    assert caught.value.line == 2 and "does not build" in str(caught.value) and caught.value.remedy
    (repository.solution(LAB) / "kernel.cu").unlink()
    with pytest.raises(InstructorError, match="is missing"):
        prepared(repository)


def test_tools_that_are_missing(repository: Repository) -> None:
    repository.harness(LAB).unlink()
    with pytest.raises(GraderError, match="is missing"):
        prepared(repository)


def test_a_lab_whose_harness_is_not_built_costs_no_other_lab(repository: Repository) -> None:
    broken = replace(lab.find(repository)[0], name="08-broken")
    source = write(repository.labs / broken.name / "harness.cpp", "int main() { return nothing; }\n")
    labs = (*lab.find(repository), broken)
    with pytest.raises(InstructorError, match="is not built"):
        prepare(repository, labs, EMULATOR)
    session = prepare(repository, labs, replace(EMULATOR, leaves_out=True))
    assert [each.name for each in session.labs] == [LAB]
    (problem,) = session.left_out
    assert problem.where == str(source) and "make build/harness/08-broken" in problem.remedy
    with pytest.raises(InstructorError, match="is not built"):
        prepare(repository, [broken], replace(EMULATOR, leaves_out=True))
    with pytest.raises(InstructorError, match="is not built"):
        prepare(repository, [broken, broken], replace(EMULATOR, leaves_out=True))


@pytest.mark.parametrize("kind", confine.KINDS)
def test_the_sanitizer_needs_a_sandbox_in_which_it_works(
    kind: str, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would find nothing, and nobody would know."""
    monkeypatch.setattr(process, "why_unavailable", lambda kind: None)
    monkeypatch.setattr(compute_sanitizer, "folder", lambda tools: repository.root)
    with pytest.raises(GraderError, match=f"does not work in the sandbox {kind}") as caught:
        prepared(repository, Options("emulator", kind, sanitizer=True))
    assert "--sandbox bwrap" in caught.value.remedy


def test_no_box_no_grading(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "why_unavailable", lambda kind: "no namespaces" if kind == "bwrap" else None)
    with pytest.raises(GraderError, match="no namespaces") as caught:
        prepared(repository, Options("emulator", "bwrap"))
    assert "--sandbox=none" in caught.value.remedy
    assert prepared(repository).setting.sandbox == "none"


@pytest.mark.optional
@pytest.mark.skipif(any(Path("/dev").glob("nvidia[0-9]*")), reason="this machine has a GPU")
def test_no_gpu(repository: Repository) -> None:
    assert prepared(repository, Options("auto", "none")).setting.device == "emulator"
    with pytest.raises(GraderError, match="no GPU"):
        prepared(repository, Options("gpu", "none"))


def test_jobs_and_threads_share_the_cores(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    assert (prepared(repository).jobs, prepared(repository).runner.threads) == (9, 1)
    two = prepared(repository, replace(EMULATOR, jobs=2))
    assert (two.jobs, two.runner.threads) == (2, 4)
    allotted = prepared(repository, replace(EMULATOR, jobs=1, cores=1))
    assert (allotted.jobs, allotted.runner.threads) == (1, 1)


def test_labs(session: Session) -> None:
    assert all(isinstance(item, Lab) for item in session.labs)


def of_a_class(repository: Repository) -> Session:
    return prepare(repository, lab.find(repository), Options("emulator", "none", fresh=True))


def test_a_harness_that_does_not_start_is_not_the_solutions_fault(repository: Repository) -> None:
    """A damaged emulator, say, which no loader takes."""
    write(repository.solution(LAB) / "kernel.cu", f"// SILENT\n{GOOD}")
    with pytest.raises(GraderError, match="ended before its first case") as caught:
        of_a_class(repository)
    assert caught.value.file == repository.harness(LAB) and caught.value.remedy


@pytest.mark.parametrize("what", ["second: wrong", "second: race", "second: crash"])
def test_a_wrong_solution_is_no_yardstick(repository: Repository, what: str) -> None:
    solution = repository.solution(LAB) / "kernel.cu"
    write(solution, f"// {what}\n{GOOD}")
    with pytest.raises(InstructorError, match="the solution is not right: second") as caught:
        of_a_class(repository)
    assert caught.value.file == solution and "check" in caught.value.remedy
    write(solution, GOOD)
    of_a_class(repository)


def test_a_right_solution_is_run_once(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    of_a_class(repository)
    monkeypatch.setattr(harness, "start", None)
    of_a_class(repository)


def test_a_harness_older_than_its_source(repository: Repository) -> None:
    """It may no longer compile: `make` leaves the old one where it is."""
    source = write(repository.labs / LAB / "harness.cpp", "not C++")
    os.utime(source, (0, 0))
    of_a_class(repository)
    os.utime(source)
    with pytest.raises(InstructorError, match="has changed since the harness was built") as caught:
        of_a_class(repository)
    assert caught.value.file == source and "make tools" in caught.value.remedy


def test_a_harness_older_than_a_header_beside_its_source(repository: Repository) -> None:
    header = write(repository.labs / LAB / "mistakes.hpp", "not C++")
    os.utime(header, (0, 0))
    of_a_class(repository)
    os.utime(header)
    with pytest.raises(InstructorError, match="has changed since the harness was built") as caught:
        of_a_class(repository)
    assert caught.value.file == header
