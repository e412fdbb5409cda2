"""Errors say whose fault, where and what next; exit codes differ."""

from __future__ import annotations

from warpgrade.core import errors
from warpgrade.records import Fault


def test_words() -> None:
    error = errors.InstructorError("is wrong", file="lab.toml", line=3, remedy="repair it")
    assert str(error) == "lab.toml:3: is wrong"
    problem = error.problem()
    assert (problem.fault, problem.where, problem.remedy) == (Fault.INSTRUCTOR, "lab.toml:3", "repair it")
    assert str(problem) == "lab.toml:3: is wrong\n  → repair it"
    assert str(errors.GraderError("broke")) == "broke"


def test_exit_codes_are_documented() -> None:
    kinds = (errors.UsageError, errors.InstructorError, errors.GraderError, errors.SubmissionError)
    codes = {kind.exit_code for kind in kinds}
    assert codes == {1, 2, 3, 4}
    assert codes < set(errors.ExitCode) and all(code.meaning for code in errors.ExitCode)
