"""Errors by whose fault they are. Every message says where the error is and what to type next."""

from __future__ import annotations

import errno
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:  # the command line's help needs errors, and no records
    from ..records import Problem


class ExitCode(IntEnum):
    """What the program's exit code means; `meaning` is shown in the help."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> ExitCode:
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    DONE = 0, "done: a class was graded, whatever the grades; `check`: the kernel is right"
    NOT_RIGHT = 1, "`check`: the kernel is not right in every case"
    USAGE = 2, "bad usage: an option, a lab's or a file's name"
    INSTRUCTOR = 3, "a mistake in the instructor's files: lab.toml, a solution, a handout"
    GRADER = 4, "an error of the grader or the machine: scores are withheld, none is zero"
    SETUP = 5, "missing software, or what set-up makes; the message says what to type"
    STOPPED = 130, "stopped by Ctrl-C; `grade` and `regrade` continue where they were"


class WarpgradeError(Exception):
    """An error that a person can act on. `str()` gives `file:line: message`."""

    fault: ClassVar[str] = "grader"  # records.Fault
    exit_code: ClassVar[int] = ExitCode.GRADER

    def __init__(
        self, message: str, *, file: Path | str | None = None, line: int | None = None, remedy: str = ""
    ) -> None:
        self.where = "" if file is None else f"{file}" if line is None else f"{file}:{line}"
        super().__init__(f"{self.where}: {message}" if self.where else message)
        self.message = message
        self.file = file
        self.line = line
        self.remedy = remedy

    def problem(self) -> Problem:
        """The error as a record for the results."""
        from ..records import Fault, Problem

        return Problem(Fault(self.fault), self.message, self.where, self.remedy)


class UsageError(WarpgradeError):
    """The command line names something that does not exist."""

    fault = "command"
    exit_code = ExitCode.USAGE


class SubmissionError(WarpgradeError):
    """A submission that cannot be read."""

    fault = "submission"
    exit_code = ExitCode.NOT_RIGHT


class InstructorError(WarpgradeError):
    """A file of the course (lab.toml, a solution's markers, a handout) is wrong."""

    fault = "instructor"
    exit_code = ExitCode.INSTRUCTOR


class GraderError(WarpgradeError):
    """An error of the grader or of the machine: a tool is missing or failed. Never gives a student zero."""

    fault = "grader"
    exit_code = ExitCode.GRADER


_AGAINST = {
    errno.ENOSPC: "free some disk space there",
    errno.EDQUOT: "free some disk space there",
    errno.EACCES: "make it writable, or name another place",
    errno.EPERM: "make it writable, or name another place",
    errno.EROFS: "its disk is read-only: name another place",
    errno.EISDIR: "remove that folder, or name another place",
    errno.EEXIST: "it is not below a folder: name another place",
    errno.ENOTDIR: "it is not below a folder: name another place",
}


def unwritable(path: Path, error: OSError) -> GraderError:
    """The error where the disk refuses what is written at `path`, with a remedy for that refusal."""
    remedy = _AGAINST.get(error.errno or 0, "see whether that disk is there and works, or name another place")
    return GraderError(f"cannot be written: {error.strerror or error}"[:300], file=path, remedy=remedy)


class MissingSoftware(GraderError):
    """A file that set-up or a build makes is missing."""

    exit_code = ExitCode.SETUP


class SandboxError(GraderError):
    """The sandbox cannot start on this machine."""


class Stopped(Exception):
    """Raised by a command that runs, or is to start, after sandbox.process.stop_all()."""
