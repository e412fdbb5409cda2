"""A solution that fails is distinguished from damaged tools."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support.fake_repository import LAB
from warpgrade.build.compiler import Compiler
from warpgrade.core.errors import GraderError, InstructorError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.grading import reference
from warpgrade.records import Build, BuildStatus, CaseRun, LabKind, Run
from warpgrade.run.harness import RunnerConfig
from warpgrade.run.run import Reference


@pytest.mark.parametrize(
    ("statuses", "error", "remedy"),
    [
        (
            ("crash", "crash"),
            GraderError,
            "make clean tools",
        ),  # as without a back end
        (("pass", "crash"), InstructorError, f"check {LAB}"),
        (("wrong_answer", "wrong_answer"), InstructorError, f"check {LAB}"),
    ],
)
def test_a_program_of_which_no_case_ends(
    statuses: tuple[str, ...], error: type[Exception], remedy: str, repository: Repository,
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    cases = tuple(CaseRun(str(number), status, "ended early") for number, status in enumerate(statuses))
    monkeypatch.setattr(reference, "run_program", lambda *_: Run("emulator", cases=cases))
    program = replace(lab.named(repository, LAB), kind=LabKind.PROGRAM)
    made = Reference(tmp_path / "program", Build(BuildStatus.BUILT, ""))
    compiler = Compiler(repository, None)  # type: ignore[arg-type]
    with pytest.raises(error, match="ended early") as caught:
        reference.confirm(program, made, tmp_path, RunnerConfig(repository, None), compiler, "key")  # type: ignore[arg-type]
    assert remedy in getattr(caught.value, "remedy", "")
