"""Errors say whose fault, where and what next; exit codes differ."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "free some disk space"),
        (errno.EACCES, "make it writable"),
        (errno.EROFS, "read-only"),
        (errno.EISDIR, "remove that folder"),
        (errno.ENOTDIR, "not below a folder"),
        (errno.EIO, "name another place"),
    ],
)
def test_what_helps_depends_on_why_the_disk_refuses(number: int, remedy: str) -> None:
    error = errors.unwritable(Path("there"), OSError(number, os.strerror(number)))
    assert remedy in error.remedy and str(error) == f"there: cannot be written: {os.strerror(number)}"
