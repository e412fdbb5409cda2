"""What can go wrong, by whose fault it is. Every message says where, and what to type next.

Exit codes (cli.py is the only place that turns an error into one):

    0  done: a class was graded, whatever the grades; `check`: the kernel is right
    1  `check`: the kernel is not right in every case
    2  bad usage: an option, a lab's or a file's name
    3  a mistake in the instructor's files: lab.toml, a solution, a handout
    4  a fault of ours or of this machine: scores are withheld, and none is zero
    5  set-up: something cannot be installed here; the message says what to type
    130  stopped by Ctrl-C; `grade` and `regrade` go on where they were
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:  # the command line's help needs errors, and no records
    from ..records import Problem


class WarpgradeError(Exception):
    """An error that a person can act on. `str()` gives `file:line: message`."""

    fault: ClassVar[str] = "grader"  # records.Fault
    exit_code: ClassVar[int] = 4

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
        """The same as a record, for the results."""
        from ..records import Fault, Problem

        return Problem(Fault(self.fault), self.message, self.where, self.remedy)


class UsageError(WarpgradeError):
    """The command line asks for something that is not there."""

    fault = "command"
    exit_code = 2


class SubmissionError(WarpgradeError):
    """What was handed in cannot be read as a submission."""

    fault = "submission"
    exit_code = 1


class InstructorError(WarpgradeError):
    """A file of the course (lab.toml, a solution's markers, a handout) is wrong."""

    fault = "instructor"
    exit_code = 3


class GraderError(WarpgradeError):
    """A fault of ours or of the machine: a tool is missing or broke. Never a student's zero."""

    fault = "grader"
    exit_code = 4


class Stopped(Exception):
    """Work was to end while a command ran, or before it could start: see sandbox.stop_all."""
